import { describe, expect, it } from '@jest/globals';
import { isMailConfigured, type SmtpSettings, transportOf } from './smtp-options.js';

const settings: SmtpSettings = {
  server: 'mail.example',
  port: 587,
  account: 'us@mail.example',
  password: 'secret',
  from: 'us@mail.example',
  secure: false,
  systemName: 'Acme',
};

describe('transportOf', () => {
  it('speaks TLS from the first byte on port 465 or by the switch', () => {
    expect(transportOf({ ...settings, port: 465 }, '192.0.2.1').secure).toBe(true);
    expect(transportOf({ ...settings, secure: true }, '192.0.2.1').secure).toBe(true);
    expect(transportOf(settings, '192.0.2.1').secure).toBe(false);
  });

  it('verifies certificates for the name that was set, except on this machine', () => {
    expect(transportOf(settings, '93.184.215.14').tls).toEqual({
      rejectUnauthorized: true,
      servername: 'mail.example',
    });
    expect(transportOf(settings, '127.0.0.1').tls).toMatchObject({ rejectUnauthorized: false });
  });

  it('sends no password unencrypted over a public network', () => {
    expect(transportOf(settings, '93.184.215.14').requireTLS).toBe(true);
    expect(transportOf({ ...settings, password: '' }, '93.184.215.14').requireTLS).toBe(false);
    expect(transportOf(settings, '10.0.0.5').requireTLS).toBe(false);
  });

  it.each([{ account: 'us@outlook.com' }, { account: 'us@acme.onmicrosoft.com' }, { server: 'smtp.azurecomm.net' }])(
    'signs in to %o by LOGIN',
    (part) => {
      expect(transportOf({ ...settings, ...part }, '192.0.2.1')).toMatchObject({ authMethod: 'LOGIN' });
    },
  );
});

describe('isMailConfigured', () => {
  it('needs a server and a sender', () => {
    expect(isMailConfigured(settings)).toBe(true);
    expect(isMailConfigured({ ...settings, server: '' })).toBe(false);
    expect(isMailConfigured({ ...settings, from: '' })).toBe(false);
  });
});
