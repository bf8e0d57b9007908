/** Connection fields under many parents, from pages that a fixed number of statements reads for all of them. */
import type { RequestContext } from '../src/operation/context.ts'
import type { Page } from '../src/platform/page.ts'
import { MAX_PAGE_SIZE } from './builder.ts'
import { Connection, type ConnectionArgs, forwardArgs } from './connection.ts'

/**
 * The loader of such a field: a connection for each parent. 422 for arguments out of range and for a cursor of another
 * listing.
 */
export function relatedPages<Input extends { readonly first?: number | null; readonly after?: string | null }, Row>(
  pages: (ctx: RequestContext, parentIds: readonly string[], input: Input) => Promise<Page<Row>[]>,
) {
  return async (
    parentIds: string[],
    ctx: RequestContext,
    given: Omit<Input, 'first' | 'after'> & ConnectionArgs,
  ): Promise<Connection<Row>[]> => {
    const input = { ...given, ...forwardArgs(given, MAX_PAGE_SIZE) }
    const found = await pages(ctx, parentIds, input as unknown as Input)
    return found.map((page) => new Connection(page, Boolean(input.after)))
  }
}
