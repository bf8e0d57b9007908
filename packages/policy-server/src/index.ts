/** Serves policies to devices, beside a hub. */

export { type HeldAddress, holdAddress } from './links/held-address.ts'
export {
  defaultTiming,
  type Outcome,
  type Prepared,
  prepare,
  type ServerOptions,
  serveEndpoint,
} from './serve-endpoint.ts'
export { servePolicy } from './serve-policy.ts'
