/** The request for a new repo, from its form. Pure. */
import type { CreateRepoMutationVariables } from './new-repo.graphql.ts'

type Input = CreateRepoMutationVariables['input']

const repoKinds = ['DATASET', 'MODEL', 'ROBOT'] as const

/** The words of a field of tags, which spaces and commas separate. */
export const tagsIn = (text: string): string[] => text.split(/[\s,]+/).filter((tag) => tag !== '')

/** Empty fields are not sent. A repo is private unless the form says that everyone may read it. */
export function newRepoInput(form: FormData): Input {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  return {
    owner: text('owner') || null,
    kind: repoKinds.find((kind) => kind === text('kind')) ?? 'DATASET',
    slug: text('slug'),
    description: text('description') || null,
    tags: tagsIn(text('tags')),
    visibility: text('visibility') === 'PUBLIC' ? 'PUBLIC' : 'PRIVATE',
  }
}

/** What a slug may be of what a person types: lower case, a hyphen for what it cannot have. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 64)
