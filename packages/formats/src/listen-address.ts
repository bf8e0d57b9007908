/** An address that a program cannot listen on, in words for its operator. */

/** An address, and the settings that it comes from. */
export interface ListenAt {
  readonly host: string
  readonly port: number
  readonly settings: { readonly host: string; readonly port: string }
}

/** The address cannot be listened on. The message is one line that names the setting and what to do about it. */
export class CannotListen extends Error {
  constructor(error: unknown, at: ListenAt) {
    super(whyNot(error, at), { cause: error })
  }
}

function whyNot(error: unknown, { host, port, settings }: ListenAt): string {
  const { code, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (code === 'EADDRINUSE')
    return `${settings.port}: port ${port} on ${host} is in use; stop what listens there, or set ${settings.port} to another.`
  if (code === 'EACCES')
    return `${settings.port}: port ${port} needs rights that this user does not have; set ${settings.port} to a port of 1024 or more.`
  if (syscall === 'getaddrinfo')
    return `${settings.host}: ${host} is not a name that leads to an address (${code}); set ${settings.host} to an address of this machine.`
  if (code === 'EADDRNOTAVAIL')
    return `${settings.host}: ${host} is not an address of this machine; set ${settings.host} to one, or to 0.0.0.0 for all.`
  return `${settings.host}: nothing can listen on ${host}, port ${port} (${code}); set ${settings.host} to an address of this machine.`
}
