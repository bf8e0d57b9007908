/** Where a repo comes from and what uses it, as far as the caller sees it. */
import { z } from 'zod'
import type { Caller } from './call.ts'
import { ProblemError } from './problem.ts'
import type { RepoName } from './repo-name.ts'

const page = z
  .looseObject({
    nodes: z.array(z.looseObject({ id: z.string() })),
    pageInfo: z.looseObject({ hasNextPage: z.boolean() }),
  })
  .transform(({ nodes, pageInfo }) => ({ count: nodes.length, isMore: pageInfo.hasNextPage }))

const lineage = z.looseObject({
  repo: z
    .looseObject({
      sources: z.array(
        z.looseObject({
          relation: z.enum(['DATASET', 'BASE_MODEL']),
          name: z.string(),
          repo: z.looseObject({ fullName: z.string() }).nullable(),
        }),
      ),
      producedBy: page,
      usedBy: z.looseObject({ runs: page, repos: page, checks: page, endpoints: page }),
    })
    .nullable(),
})

/** How many there are on one page; `isMore`: at least so many. */
export type AtLeast = z.output<typeof page>

/** What a card says its repo is made from. */
interface RepoSource {
  readonly relation: 'DATASET' | 'BASE_MODEL'
  /** As the card writes it. */
  readonly name: string
  /** The repo here that is meant; null if there is none that the caller sees. */
  readonly repo: { readonly fullName: string } | null
}

export interface RepoLineage {
  readonly sources: readonly RepoSource[]
  /** Runs that a model comes from. */
  readonly producedBy: AtLeast
  readonly usedBy: {
    readonly runs: AtLeast
    /** Whose cards name it. */
    readonly repos: AtLeast
    readonly checks: AtLeast
    readonly endpoints: AtLeast
  }
}

const first = '(first: 100) { nodes { id } pageInfo { hasNextPage } }'
const text = `query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) {
  sources { relation name repo { fullName } } producedBy${first} usedBy { runs${first} repos${first} checks${first} endpoints${first} } } }`

/** Null for a repo that the caller does not see, and from a hub whose graph does not have it. */
export async function repoLineage({ graph }: Caller, repo: RepoName): Promise<RepoLineage | null> {
  try {
    return (await graph(text, { ...repo }, lineage)).repo
  } catch (error) {
    if (error instanceof ProblemError && (error.status === 400 || error.status === 422)) return null
    throw error
  }
}
