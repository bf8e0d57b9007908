/** Asking addresses that others named: only public ones, and nothing of this machine is sent along. */
export { FetchFault } from './guarded/fetch-fault.ts'
export { asFault, type Getter, guardedGetter, shown } from './guarded/guarded-get.ts'
export { isPublicAddress } from './guarded/public-address.ts'
export { capped, getJson } from './guarded/read-body.ts'
