/** What people call an endpoint. */
import { expect, it } from 'vitest'
import { endpointTitle } from '../../../web/src/pages/endpoints/endpoint-title.ts'

it('is its name, else what it serves on which robot, as far as the reader sees that', () => {
  const modelRepoRef = { fullName: 'lab/reach' }
  const model = { modelMeta: { robotName: 'lab/arm' } }
  expect(endpointTitle({ name: 'Night shift', modelRepoRef, model })).toBe('Night shift')
  expect(endpointTitle({ name: null, modelRepoRef, model })).toBe('lab/reach on lab/arm')
  expect(endpointTitle({ name: null, modelRepoRef, model: { modelMeta: null } })).toBe('lab/reach')
  expect(endpointTitle({ name: null, modelRepoRef, model: null })).toBe('lab/reach')
})
