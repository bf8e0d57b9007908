/** Documents of the graph as text. */
import { type DocumentNode, print } from 'graphql'

/** Of a string, of a string with types (an object of its own class), or of what a parser made of one. */
export function documentText(document: unknown): string {
  if (typeof document === 'string' || document instanceof String) return String(document)
  if (typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Document')
    return print(document as DocumentNode)
  throw new TypeError('The document is neither a text nor a parsed GraphQL document.')
}

/** Whether it certainly changes nothing: without the word there is no mutation in it. */
export const isQuery = (text: string): boolean => !/\bmutation\b/.test(text)
