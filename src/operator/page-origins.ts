/** Whose pages a browser opens: they send files to the object store and read files from it. */
import { addressUrl, type Config } from '../platform/config.ts'

/** Origins of the hub's own pages, and of other sites that may call it. */
export function pageOrigins(config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'corsOrigins'>): string[] {
  const own = new URL(config.publicUrl ?? addressUrl(config)).origin
  return [...new Set([own, ...config.corsOrigins])]
}
