interface ModelError {
  message: string;
  type: string;
  param: string;
  code: string;
}

/** The error object that clients of models expect, in addition to the console's envelope. */
export const modelError = ({ message, code }: Pick<ModelError, 'message' | 'code'>, requestId: string): ModelError => ({
  message: `${message} (request id: ${requestId})`,
  type: 'new_api_error',
  param: '',
  code,
});
