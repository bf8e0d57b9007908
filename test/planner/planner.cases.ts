import { defineCases } from '../support/define-cases.ts'

const recipe = { template: 'act' }

export const cases = defineCases({
  // The credential.
  listTemplates: { costs: [{ given: async () => ['/v1/templates'], statements: 1 }] },
  estimateRun: {
    body: { recipe },
    scopes: { read: 403, write: 403 },
    replay: {
      given: async ({ org }) => ({ path: '/v1/runs/estimate', body: { recipe, owner: org } }),
      gone: 'It makes nothing, and is computed again.',
      left: 403,
      limited: 200,
    },
  },
  recommendRun: {
    body: { recipe },
    scopes: { read: 403, write: 403 },
    replay: {
      given: async ({ org }) => ({ path: '/v1/runs/recommend', body: { recipe, owner: org } }),
      gone: 'It makes nothing, and is computed again.',
      left: 403,
      limited: 200,
    },
  },
})
