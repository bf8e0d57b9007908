/** Files that hold credentials, by their names and, where a name says too little, by their content. */
import { open } from 'node:fs/promises'

const examples = /^\.env\.(?:example|sample|template|dist|defaults?)$/i

const secretNames = [
  /^\.env(?:\..*|rc)?$/i,
  /\.(?:pem|p12|pfx|ppk|jks|keystore|kdbx)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /^[._]netrc$/,
  /^\.(?:git-credentials|pgpass|htpasswd|s3cfg|boto)$/,
  /^credentials(?:\.(?:json|ya?ml|toml|ini|csv))?$/i,
  /^(?:application_default_credentials|client_secrets?.*|service[-_]account.*)\.json$/i,
]

/** In these folders, files of these names are credentials. */
const secretPaths = [
  /(?:^|\/)\.ssh\/(?!.*\.pub$|known_hosts|config$)[^/]+$/,
  /(?:^|\/)\.docker\/config\.json$/,
  /(?:^|\/)\.kube\/config$/,
]

/** Names that hold a credential only if their content matches. */
const secretContents: ReadonlyArray<readonly [name: RegExp, content: RegExp]> = [
  [/^\.npmrc$/, /_(?:authToken|auth|password)\s*=/],
  [/^\.yarnrc\.yml$/, /npmAuth(?:Token|Ident)\s*:/],
  [/^(?:\.pypirc|pip\.conf)$/, /^\s*password\s*[:=]|:\/\/[^/\s:]+:[^/\s@]+@/m],
  // What `hub login` stores.
  [/^client\.json$/, /"token"\s*:\s*"(?:hub_key_|eyJ)/],
  [/\.key$/i, /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
]

/** Enough for the first lines of a file; a credential further down is not looked for. */
const LOOK_BYTES = 65_536

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Whether the name alone says that the file holds a credential. */
export function isSecretName(path: string): boolean {
  const name = nameOf(path)
  if (examples.test(name)) return false
  return secretNames.some((known) => known.test(name)) || secretPaths.some((known) => known.test(path))
}

/** Whether the file holds a credential, by its name or by the first 64 KiB of its content. */
export async function holdsSecret(path: string, file: string): Promise<boolean> {
  if (isSecretName(path)) return true
  const name = nameOf(path)
  const contents = secretContents.filter(([known]) => known.test(name))
  if (contents.length === 0) return false
  const text = await firstText(file)
  return contents.some(([, content]) => content.test(text))
}

/** A file that cannot be read has no text here: sending it reports that. */
async function firstText(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => null)
  if (handle === null) return ''
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOOK_BYTES), 0, LOOK_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  } finally {
    await handle.close()
  }
}
