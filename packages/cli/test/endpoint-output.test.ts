import type { RemoteEndpoint } from '@hub/client/internal'
import { expect, it } from 'vitest'
import { endpointLines } from '../src/endpoint-output.ts'

it('says the times of an endpoint to a tenth of a millisecond', () => {
  const endpoint = {
    id: 'ep_1',
    owner: { handle: 'ada' },
    artifact: { path: 'a.onnx' },
    model_repo: { full_name: 'a/b' },
  }
  const times = { service_ms_p95: 46.32589599999483, rtt_ms_p95: 12 }
  const printed = endpointLines({ ...endpoint, ...times } as unknown as RemoteEndpoint)
  expect(printed).toContain(' 46.3 ms (p95)\n')
  expect(printed).toContain(' 12 ms (p95)\n')
})
