/** A hosting backend that has room for nothing, where nothing is hosted. */
import type { HostedBackend } from '../../src/hosting/backend.ts'

export const noBackend: HostedBackend = {
  name: 'process',
  place: async () => null,
  reserve: async () => 'full',
  wait: () => undefined,
  spawn: async () => undefined,
  release: async () => undefined,
  end: async () => undefined,
  cancel: (_callId, then) => then(),
  status: async () => new Map(),
  waitsFor: async () => null,
  attend: async () => undefined,
  close: async () => undefined,
}
