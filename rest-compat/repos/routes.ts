/** `/v1` routes of repos and their meta blocks. */

import { body, fields, path, query } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'
import { bodyOfRepo, missingRepo, repoPath } from './repo-path.ts'

const facetWords = { '1': true, true: true, tags: true, '0': false, false: false, '': false } as const

const ofReadme = ['license', 'card_tags', 'card_labels', 'card_data', 'card_fault'] as const

/** Spec, "Repo": present only when set. */
const onlyWhenSet = ['dataset_meta', 'model_meta', 'robot_card', 'hf_name', ...ofReadme] as const

const repoLocation = (repo: { readonly full_name: string }) => ({ Location: `/v1/repos/${repo.full_name}` })

export const routes: readonly TypedRoute[] = [
  {
    operation: 'listRepos',
    method: 'GET',
    path: '/v1/repos',
    document: 'list-repos',
    params: {
      q: query('q'),
      kind: query('kind'),
      owner: query('owner'),
      tag: query('tag'),
      license: query('license'),
      label: query('label'),
      visibility: query('visibility'),
      sort: query('sort'),
      robot: query('robot'),
      interfaceFingerprint: query('interface_fingerprint'),
      facets: query('facets', facetWords),
      limit: query('limit'),
      cursor: query('cursor'),
    },
    status: 200,
    result: 'page',
    onlyWhenSet,
  },
  {
    operation: 'createRepo',
    method: 'POST',
    path: '/v1/repos',
    document: 'create-repo',
    params: { input: body() },
    status: 201,
    errors: [404],
    result: 'object',
    unwrap: 'repo',
    onlyWhenSet,
    headers: repoLocation,
  },
  {
    operation: 'getRepo',
    method: 'GET',
    path: '/v1/repos/:owner/:repo',
    document: 'get-repo',
    params: repoPath,
    status: 200,
    errors: [404],
    result: 'object',
    onlyWhenSet,
    missing: missingRepo,
  },
  {
    operation: 'updateRepo',
    method: 'PATCH',
    path: '/v1/repos/:owner/:repo',
    document: 'update-repo',
    params: bodyOfRepo,
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'repo',
    onlyWhenSet,
  },
  {
    operation: 'deleteRepo',
    method: 'DELETE',
    path: '/v1/repos/:owner/:repo',
    document: 'delete-repo',
    params: { input: fields(repoPath) },
    status: 204,
    errors: [404, 409],
    result: 'empty',
  },
  {
    operation: 'moveRepo',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/move',
    document: 'move-repo',
    params: { input: body({ fromOwner: path('owner'), fromRepo: path('repo') }) },
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'repo',
    onlyWhenSet,
    headers: repoLocation,
  },
  {
    operation: 'putModelMeta',
    method: 'PUT',
    path: '/v1/models/:owner/:repo/meta',
    document: 'put-model-meta',
    params: bodyOfRepo,
    status: 200,
    errors: [404, 409],
    result: 'object',
    unwrap: 'repo',
    onlyWhenSet,
  },
  {
    operation: 'putDatasetMeta',
    method: 'PUT',
    path: '/v1/datasets/:owner/:repo/meta',
    document: 'put-dataset-meta',
    params: bodyOfRepo,
    status: 200,
    errors: [404, 409],
    result: 'object',
    unwrap: 'repo',
    onlyWhenSet,
  },
]
