/** Files that hold credentials, by their names and, where a name says too little, by their content. Pure. */

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

/** How much of a file with a doubtful name is looked at: a credential further down is not looked for. In bytes. */
export const LOOK_BYTES = 65_536

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Whether the name alone says that the file holds a credential. */
export function isSecretName(path: string): boolean {
  const name = nameOf(path)
  if (examples.test(name)) return false
  return secretNames.some((known) => known.test(name)) || secretPaths.some((known) => known.test(path))
}

/** Whether the name says that the content has to be looked at. */
export const isDoubtfulName = (path: string): boolean => secretContents.some(([known]) => known.test(nameOf(path)))

/** Whether the first text of a file with a doubtful name holds a credential. */
export const isSecretText = (path: string, text: string): boolean =>
  secretContents.some(([known, content]) => known.test(nameOf(path)) && content.test(text))
