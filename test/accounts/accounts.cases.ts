import { defineCases } from '../support/define-cases.ts'

export const cases = defineCases({
  me: { costs: [{ given: async () => ['/v1/me'], statements: 2 }] },
  // Open to all, with or without a credential; only a person's approval gives a key.
  startDeviceLogin: { body: { name: 'x' }, jobKey: 200, replay: null },
  redeemDeviceLogin: { body: { device_code: 'x' }, jobKey: 400, replay: null },
})
