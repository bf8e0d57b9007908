/**
 * GraphQL documents by their SHA-256 instead of their text: those of the operator's manifest, and those that a client
 * has sent once with their digest (automatic persisted queries). With a manifest no other document is executed, except
 * those of the hub's own pages.
 */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { type DocumentNode, print, stripIgnoredCharacters, visit } from 'graphql'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { type Config, ConfigError } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import { parseBounded } from './graphql-documents.ts'

const sha256Of = (text: string) => hash('sha256', text)

/**
 * The digest of what a document asks for: white space, comments and the `__typename` that caches add make no
 * difference.
 */
export function meaningOf(document: DocumentNode): string {
  const bare = visit(document, {
    Field: (node) => (node.name.value === '__typename' && !node.alias && !node.directives?.length ? null : undefined),
  })
  return sha256Of(stripIgnoredCharacters(print(bare)))
}

/** The documents that may be executed: texts by their SHA-256, and what they mean. */
export interface TrustedDocuments {
  readonly texts: ReadonlyMap<string, string>
  readonly meanings: ReadonlySet<string>
}

/** `{ "<sha256>": "query …" }`, or the manifest of Apollo's tools. */
const manifestShape = z.union([
  z.object({ operations: z.array(z.object({ id: z.string(), body: z.string() })) }),
  z.record(z.string(), z.string()),
])

/** Written where the pages are built. */
const ofPages = new URL('../../generated/web/.documents.json', import.meta.url)

/** The documents of the hub's own pages; none where they are not built. */
function pageDocuments(): string[] {
  return existsSync(ofPages) ? z.array(z.string()).parse(JSON.parse(readFileSync(ofPages, 'utf8'))) : []
}

/** Those of TRUSTED_DOCUMENTS; null without the setting. Throws as `readTrustedDocuments`. */
export const trustedDocuments = ({
  trustedDocuments: file,
}: Pick<Config, 'trustedDocuments'>): TrustedDocuments | null => (file === null ? null : readTrustedDocuments(file))

/**
 * The manifest in a file, and the documents of the pages. Throws an error that names the setting for a file that is no
 * such manifest, or has a wrong digest in it.
 */
export function readTrustedDocuments(file: string): TrustedDocuments {
  const fail = (why: string): never => {
    throw new ConfigError([`TRUSTED_DOCUMENTS: ${file} ${why}`])
  }
  const read = manifestShape.safeParse(jsonOf(file, fail))
  if (!read.success)
    return fail(
      'is not a manifest of documents: it must be {"<sha256>": "query …"}, or the manifest of Apollo\'s tools',
    )
  const manifest = read.data
  const entries = Array.isArray(manifest.operations)
    ? manifest.operations.map(({ id, body }) => [id, body] as const)
    : Object.entries(manifest as Record<string, string>)
  for (const [id, text] of entries) if (sha256Of(text) !== id) fail(`has a document whose SHA-256 is not its id`)
  const meaning = (text: string) => {
    try {
      return meaningOf(parseBounded(text))
    } catch {
      return fail(`has a document that is not GraphQL, or too large: that with the SHA-256 ${sha256Of(text)}`)
    }
  }
  const texts = [...entries.map(([, text]) => text), ...pageDocuments()]
  return {
    texts: new Map(texts.map((text) => [sha256Of(text), text])),
    meanings: new Set(texts.map(meaning)),
  }
}

/** What the file holds, of which no message quotes anything. */
function jsonOf(file: string, fail: (why: string) => never): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return fail(`cannot be read (${(error as NodeJS.ErrnoException).code}); name a file with the manifest`)
  }
  try {
    return JSON.parse(text)
  } catch {
    return fail('is not JSON; name a file with the manifest')
  }
}

/** Of all texts that clients registered. */
const MAX_CHARACTERS = 512 * 1024
const MAX_CHARACTERS_OF_ONE = 32 * 1024

/** The parameters that name a document, as the client sent them. */
interface Named {
  readonly query?: unknown
  readonly documentId?: unknown
  readonly extensions?: unknown
}

/** Texts by digest, of one instance: a client whose document another instance has is asked for its text once more. */
export class PersistedDocuments {
  readonly #trusted: TrustedDocuments | null
  readonly #registered = new LRUCache<string, string>({
    max: 1000,
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_CHARACTERS_OF_ONE,
    sizeCalculation: (text) => text.length + 1,
  })

  constructor(trusted: TrustedDocuments | null) {
    this.#trusted = trusted
  }

  /**
   * The text to execute: `query` as it is, or the document with the digest of `documentId` (`sha256:<hex>`) or
   * `extensions.persistedQuery.sha256Hash`. With both, the text is kept under its digest. Errors: 404
   * `PersistedQueryNotFound`, which clients answer by sending the text; 400 for a digest of another text.
   */
  textOf({ query, documentId, extensions }: Named): unknown {
    const digest = digestOf(documentId, extensions)
    if (digest === null) return query
    if (query === undefined || query === null) {
      const known = this.#trusted?.texts.get(digest) ?? this.#registered.get(digest)
      if (known === undefined) throw new HubError('validation.document', 'PersistedQueryNotFound')
      return known
    }
    if (typeof query !== 'string' || sha256Of(query) !== digest)
      throw new HubError('validation.request', 'The document has another SHA-256 than the request says.')
    this.#registered.set(digest, query)
    return query
  }
}

const asked = z.object({ persistedQuery: z.object({ version: z.literal(1).optional(), sha256Hash: z.string() }) })

/** The digest that a request names; null if it names none. */
function digestOf(documentId: unknown, extensions: unknown): string | null {
  if (typeof documentId === 'string') return documentId.replace(/^sha256:/, '').toLowerCase()
  const found = asked.safeParse(extensions)
  return found.success ? found.data.persistedQuery.sha256Hash.toLowerCase() : null
}
