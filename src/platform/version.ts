/** The version of the hub: one number for the server, its command line, and the clients that are published with it. */
import manifest from '../../package.json' with { type: 'json' }

export const hubVersion: string = manifest.version
