/** The names of what `/install` serves; pip and npm read name and version of a package from them. */
import { hubVersion } from '../platform/version.ts'

/** Of the Python client and of the command line, in the hub's version. */
export const installNames = {
  wheel: `hub_client-${hubVersion}-py3-none-any.whl`,
  command: `hub-${hubVersion}.tgz`,
} as const
