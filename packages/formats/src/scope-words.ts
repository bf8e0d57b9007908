/**
 * What a key of each scope may do, for a person who grants one. Each includes those before it. Pure, so that a browser
 * can import it.
 */
export const scopeWords = {
  read: 'see what you can see',
  write: 'also create, change and delete repos and files',
  train: 'also start runs and endpoints, which may cost money',
} as const
