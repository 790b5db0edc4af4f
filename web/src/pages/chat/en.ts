export const texts = {
  facts: '{{place}} · token “<token/>”',
  apart: 'Open in a new tab',
  elsewhere: 'This chat program cannot be shown inside a page; open it by itself. It uses the token “<token/>”.',
};
