/** Counts of a repo listing. Spec, RepoFacets. */
import type { FacetBucket as Bucket, Facets } from '../../src/repos/list-repos.ts'
import { builder } from '../builder.ts'

const FacetBucket = builder.objectRef<Bucket>('RepoFacetBucket').implement({
  description: 'A tag or license, and the number of repos that have it.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The tag or license.' }),
    count: t.exposeInt('count', { description: 'Number of repos that have it.' }),
  }),
})

export const RepoFacets = builder.objectRef<Facets>('RepoFacets').implement({
  description:
    'Counts over the visible repos that match `kind`, `owner` and `interfaceFingerprint`; `q`, `tag`, ' +
    '`license`, `label`, `visibility` and `robot` are ignored.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'Number of repos counted.' }),
    tags: t.expose('tags', {
      most: 100,
      type: [FacetBucket],
      description: 'Tags of both kinds; at most 100, by count descending, then tag.',
    }),
    licenses: t.expose('licenses', {
      most: 100,
      type: [FacetBucket],
      description: 'Licenses of their cards, in lower case; at most 100, by count descending, then license.',
    }),
  }),
})
