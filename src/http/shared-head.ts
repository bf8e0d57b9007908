/**
 * Finds the head of a page for a link preview. It reads with anonymous rights, so that the head is the same for every
 * caller and reveals nothing private.
 */

import { matchPage, type PageMatch } from '@hub/formats/page-paths'
import { handleText, slugText } from '@hub/formats/text-rules'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSharedRepo } from '../cards/shared-repo.ts'
import type { Deps } from '../operation/context.ts'
import { findSharedAccount } from '../profiles/shared-account.ts'
import type { Admit } from './admission.ts'
import { linkOrigin, originOf } from './asked-origin.ts'
import { knownError } from './known-error.ts'
import { pathOf } from './logger.ts'
import { accountHead, askedFrame, pageHead, sharedHandle, sharedName } from './page-head.ts'

/** The head of the requested page; null for one that has none of its own. Never rejects. */
export type SharedHead = (request: FastifyRequest, reply: FastifyReply) => Promise<string | null>

type LimitAddress = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** A page opens without a head of its own when the database takes longer. */
const MOST_WAIT_MS = 1000

/**
 * One statement for a page of a repo or an account, none for others. It counts against the address that asks, as an
 * operation does: beyond its limits, and where the database does not answer, pages open without a head of their own.
 */
export function sharedHead(
  { config, db, log }: Pick<Deps, 'config' | 'db' | 'log'>,
  { admit, limitAddress }: { readonly admit: Admit; readonly limitAddress: LimitAddress },
  mostWaitMs = MOST_WAIT_MS,
): SharedHead {
  return async (request, reply) => {
    const match = matchPage(pathOf(request.url))
    const query = new URLSearchParams(request.url.slice(pathOf(request.url).length))
    const origin = () => linkOrigin(config.publicUrl, originOf(request)) ?? ''
    const find = match && (headOfRepo(match, query) ?? headOfAccount(match))
    if (!find) return null
    const read = async () => {
      await limitAddress(request, reply)
      return admit(request, () => find(db))
    }
    const head = await within(mostWaitMs, read()).catch((error: unknown) => {
      if (knownError(error, request).status === 500)
        log.error({ err: error, request_id: request.id }, 'no head of a page')
      return null
    })
    return head?.(origin()) ?? null
  }
}

/** Reads what a page shows; null where nothing of it is public. The head is written for the origin that links have. */
type FindHead = (db: Deps['db']) => Promise<((origin: string) => string) | null>

function headOfRepo(match: PageMatch, query: URLSearchParams): FindHead | null {
  const name = sharedName(match)
  if (!name || !handleText.safeParse(name.owner).success || !slugText.safeParse(name.slug).success) return null
  return async (db) => {
    const found = await findSharedRepo(db, name, askedFrame({ match, query }))
    return found && ((origin) => pageHead({ match, query, origin }, found))
  }
}

function headOfAccount(match: PageMatch): FindHead | null {
  const handle = sharedHandle(match)
  if (handle === null || !handleText.safeParse(handle).success) return null
  return async (db) => {
    const found = await findSharedAccount(db, handle)
    return found && ((origin) => accountHead(origin, found))
  }
}

/** Null after so long; what comes of the work later is dropped. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
