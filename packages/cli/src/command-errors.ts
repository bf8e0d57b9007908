/** Errors of the command line itself. */

/** Wrong usage of the command: exit code 2. */
export class UsageError extends Error {}

/** No credential where one is needed, or one that the hub refuses: exit code 7. */
export class NotLoggedIn extends Error {
  /** `url`: the hub; `cause`: its response, if there was one; `from`: where the refused credential comes from. */
  constructor(url: string, from: string | null = null, cause?: unknown) {
    const why = from === null ? '' : ` The hub refuses the credential of ${from}: it is unknown, expired or revoked.`
    super(`You are not logged in to ${url}.${why} Run \`hub login\`.`, { cause })
  }
}
