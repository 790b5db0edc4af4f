/** The stand-in AI provider as a program, for people without a provider's key and for load tests. */
import { parseArgs } from 'node:util';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the library's root also loads test suites, which only jest can
import { startFakeUpstream, TENCENT_KEY, XUNFEI_KEY, ZHIPU_KEY } from '../libs/testing/src/fake-upstream/index.js';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the same
import { BEDROCK_KEY } from '../libs/testing/src/bedrock-upstream/index.js';

const DEFAULT_PORT = 4010;

const { values } = parseArgs({
  options: {
    port: { type: 'string', short: 'p' },
    host: { type: 'string' },
    latency: { type: 'string' },
    tps: { type: 'string' },
    tokens: { type: 'string' },
    'no-journal': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

const guide = (url: string): string => `
A stand-in AI provider listens at ${url}

  In Tollgate    channel of any type below, API address ${url}, any key ("bad-key" is refused) but where one is named
  Speaks         POST /v1/chat/completions, /v1/completions, /v1/responses, /v1/embeddings, /v1/messages,
                 POST /v1/images/generations, /v1/rerank, GET /v1/models, /v1/realtime
                 Gemini (24)     POST /v1beta/models/{model}:generateContent, :streamGenerateContent, :embedContent, :batchEmbedContents
                 Vertex (41)     tokens for a signed assertion; key: curl ${url}/vertex/key, region us-central1
                 Bedrock (33)    key ${BEDROCK_KEY.id}|${BEDROCK_KEY.secret}|${BEDROCK_KEY.region}
                 Baidu (15)      tokens for any id|secret, chat and embeddings
                 Zhipu v3 (16)   key ${ZHIPU_KEY}
                 Tencent (23)    key ${TENCENT_KEY}
                 Xunfei (18)     web socket; key ${XUNFEI_KEY}
                 Cohere (34), Dify (37), Coze (49), and what Ali, Cloudflare, Ollama and SiliconFlow have
                 beside chat
                 Signatures, tokens and signed addresses are checked as the providers check them.
  Counts         one token per word, so bills can be checked by hand

  Per request    write settings into the last message: "Hello [[tokens=50 latency=200 tps=20]]"
  Per channel    put them into the address: ${url}/~status=500,code=overloaded
  For all        curl -X POST ${url}/__control -d '{"tokens":50,"status":429}'   ({"reset":true} goes back)
  What it saw    curl ${url}/__journal

  Settings       tokens latency(ms) tps cached usage(given|zero|absent|twice) status code type message error200
                 error cut silence malformed (each after so many chunks) content gzip crlf split huge noend whole
  Options        --port ${DEFAULT_PORT} (or PORT) --host 127.0.0.1 --tokens 10 --latency 0 --tps 0 --no-journal
`;

const numberOf = (text: string | undefined, fallback: number): number => {
  const number = Number(text ?? fallback);
  if (!Number.isInteger(number) || number < 0) throw new Error(`expected a whole number, got "${text}"`);
  return number;
};

if (values.help) {
  process.stdout.write(guide(`http://127.0.0.1:${DEFAULT_PORT}`));
} else {
  const upstream = await startFakeUpstream({
    port: numberOf(values.port ?? process.env.PORT, DEFAULT_PORT),
    ...(values.host && { host: values.host }),
    ...(values['no-journal'] && { journalSize: 0 }),
    behaviour: {
      tokens: numberOf(values.tokens, 10),
      latencyMs: numberOf(values.latency, 0),
      tokensPerSecond: numberOf(values.tps, 0),
    },
  });
  process.stdout.write(guide(upstream.url));
  const stop = (): void => void upstream.close();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
