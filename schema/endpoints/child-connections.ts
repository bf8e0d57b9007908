/** Connections under many parents, from pages that one statement reads. */
import type { ChildPages } from '../../src/endpoints/child-pages.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import type { Page } from '../../src/platform/page.ts'
import { MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, type ConnectionArgs, forwardArgs } from '../connection.ts'

type Given = ConnectionArgs & Pick<ChildPages, 'status'>

/** The loader of a connection field. 422 for arguments out of range and for a cursor of another listing. */
export function childConnections<Row>(pages: (ctx: RequestContext, input: ChildPages) => Promise<Page<Row>[]>) {
  return async (of: string[], ctx: RequestContext, given: Given): Promise<Connection<Row>[]> => {
    const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
    const found = await pages(ctx, { of, status: given.status, first, after })
    return found.map((page) => new Connection(page, after !== null))
  }
}
