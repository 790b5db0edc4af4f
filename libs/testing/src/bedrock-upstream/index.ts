export { awsChunk, awsException, awsMessage } from './frames.js';
export { BEDROCK_KEY, type BedrockUpstream, startBedrockUpstream } from './server.js';
export { signatureFault } from './signature.js';
