export const texts = {
  title: 'Popular models',
  purpose: 'Well-known models that you can call here, by family and purpose. A name leads to its price.',
  all: 'All models and prices',
  empty: 'No well-known model is served at the moment',
  emptyBody: 'Once a channel serves some, they are listed here by what they are good for.',
  more: '{{count}} more in the model list',
  family: {
    gpt: { name: 'GPT', use: 'Conversation, writing and code, with tools and images as input.' },
    reasoning: { name: 'OpenAI o series', use: 'Think before they answer: mathematics, code, several steps.' },
    claude: { name: 'Claude', use: 'Long documents, writing and code, with tools and images as input.' },
    gemini: { name: 'Gemini', use: 'A very long context; images, sound and video as input.' },
    deepseek: { name: 'DeepSeek', use: 'Conversation and reasoning at a low price.' },
    qwen: { name: 'Qwen', use: 'General models that are strong in Chinese.' },
    llama: { name: 'Llama', use: 'General models with open weights.' },
    grok: { name: 'Grok', use: 'Conversation and reasoning.' },
    picture: { name: 'Pictures', use: 'Make or change pictures by words.' },
    sound: { name: 'Sound', use: 'Speech, transcription and music.' },
    embedding: {
      name: 'Vectors and ranking',
      use: 'Vectors of texts and their order, for search and question answering.',
    },
  },
};
