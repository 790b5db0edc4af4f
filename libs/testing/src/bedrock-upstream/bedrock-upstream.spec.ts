import { describe, expect, it } from '@jest/globals';
import { awsMessage } from './frames.js';
import { signatureFault } from './signature.js';

describe('the stand-in for Bedrock', () => {
  it('frames messages as AWS publishes them', () => {
    expect(awsMessage({}, Buffer.alloc(0)).toString('hex')).toBe('000000100000000005c248eb7d98c8ff');
    expect(awsMessage({}, Buffer.from("{'foo':'bar'}")).toString('hex')).toBe(
      '0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936',
    );
  });

  it("checks signatures by AWS's own example", () => {
    // The case `get-vanilla` of AWS's test suite for Signature Version 4.
    const credential = 'AKIDEXAMPLE/20150830/us-east-1/service/aws4_request';
    const signature = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31';
    const headers = {
      host: 'example.amazonaws.com',
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    };
    const request = { method: 'GET', path: '/', headers, body: Buffer.alloc(0) };
    const keys = new Map([['AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY']]);
    expect(signatureFault(request, keys)).toBeUndefined();
    expect(signatureFault({ ...request, path: '/other' }, keys)).toBe('InvalidSignatureException');
    expect(signatureFault({ ...request, body: Buffer.from('x') }, keys)).toBe('InvalidSignatureException');
    expect(signatureFault(request, new Map())).toBe('UnrecognizedClientException');
    expect(signatureFault({ ...request, headers: {} }, keys)).toBe('IncompleteSignatureException');
  });
});
