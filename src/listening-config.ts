/** The settings of a hub that listens: with the port that it got, and the address that follows from it. */
import { addressUrl, type Config, listensEverywhere } from './platform/config.ts'

export interface ListeningConfig {
  /** The given settings; `port` and `publicUrl` are those of the moment. */
  readonly config: Config
  /** Says which port the server got; PORT=0 leaves it to the system. */
  listensOn(port: number): void
}

/**
 * A read-only view of settings. Links and callbacks need an address before the first request, so a fixed port gives it
 * at once; port 0 gives none until the server listens, and a hub that listens on every address has none of its own.
 */
export function listeningConfig(given: Config): ListeningConfig {
  let { port } = given
  const ownAddress = () => (port === 0 || listensEverywhere(given) ? null : addressUrl({ host: given.host, port }))
  return {
    config: {
      ...given,
      get port() {
        return port
      },
      get publicUrl() {
        return given.publicUrl ?? ownAddress()
      },
    },
    listensOn(bound) {
      port = bound
    },
  }
}
