/** `hub login` and `hub logout`. */
import { hostname } from 'node:os'
import { text as textOf } from 'node:stream/consumers'
import { createHubClient, type HubClient, LocalError, ProblemError } from '@hub/client/internal'
import { scopeWords } from '@hub/formats/scope-words'
import { type Command, Option } from 'commander'
import { exitCode } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, runCommand, UsageError, wholeFrom } from './client-session.ts'
import {
  type ClientSettings,
  checkedUrl,
  DEFAULT_URL,
  forgetSettings,
  readStored,
  settingsFile,
  storeSettings,
} from './client-settings.ts'
import { openBrowser } from './open-browser.ts'
import { hubExamples } from './output.ts'
import { type AskingIo, ask, askSecret, canAsk } from './prompt.ts'
import { toldRetry } from './retry-notice.ts'
import { ownPage } from './sign-in-page.ts'
import { inLine, print } from './terminal.ts'

interface LoginOptions extends CommonOptions {
  readonly browser: boolean
  readonly paste?: boolean
  readonly scope: 'read' | 'write' | 'train'
  readonly days: number
  readonly name: string
}

const loginHelp = `
On a terminal it asks how: on a page of the hub, on which you approve a key for this machine (compare its code and scope with those shown here), or with a token that
you paste. --no-browser and --paste answer that; with --no-browser the page may be opened on any machine.
With HUB_TOKEN, --token-file or a token on standard input it stores that token instead. The key is in
~/.config/hub/client.json, which only you can read, and goes only to this hub. hub logout revokes it.
${hubExamples('login', 'login --url https://hub.example.com --scope train --days 30', 'login --no-browser', 'login --paste < token.txt')}`

const logoutHelp = `
Revokes the key if hub login made it. A token that you brought yourself stays valid.
${hubExamples('logout')}`

/** Adds them to the `hub` program. */
export function registerLoginCommands(program: Command, io: AskingIo): void {
  const withJson = (options: CommonOptions) => ({
    ...options,
    json: options.json ?? program.opts<CommonOptions>().json,
  })
  common(program.command('login').description('Sign in to a hub, for later commands'), io)
    .option('--no-browser', 'print the URL of the page instead of opening it')
    .option('--paste', 'ask for a token, or read it from standard input, instead of a page')
    .addOption(
      new Option('--scope <scope>', 'access level of the key; each includes those before it')
        .choices(['read', 'write', 'train'])
        .default('write'),
    )
    .option('--days <n>', 'lifetime of the key in days', wholeFrom(1, 366), 90)
    .option('--name <name>', 'name of the key', `hub on ${hostname()}`)
    .addHelpText('after', loginHelp)
    .action(async (options: LoginOptions) => {
      const url = await urlToUse(io, options)
      return runCommand(io, { ...withJson(options), url }, (client, settings) => login(io, client, settings, options))
    })
  common(program.command('logout').description('Revoke the key of hub login, and forget it'), io)
    .addHelpText('after', logoutHelp)
    .action((options: CommonOptions) => runCommand(io, withJson(options), () => logout(io)))
}

/** Asks for the URL where nothing says it and a person can be asked. */
async function urlToUse(io: AskingIo, { url }: CommonOptions): Promise<string | undefined> {
  const known = url ?? (io.env.HUB_URL || undefined) ?? (await readStored(io.env).catch(() => ({ url: undefined }))).url
  if (known !== undefined || !canAsk(io)) return url
  return (await ask(io, `URL of the hub [${DEFAULT_URL}]: `)) || DEFAULT_URL
}

async function login(
  io: AskingIo,
  client: HubClient,
  settings: ClientSettings,
  options: LoginOptions,
): Promise<CommandResult> {
  const given = await givenToken(io, settings, options)
  if (given !== null) return store(io, settings.url, given, null)
  const anonymous = createHubClient({ url: settings.url, token: null, retry: client.retry, signal: client.signal })
  const { name, scope, days } = options
  const started = await anonymous.signIn.start({ name, scope, keyTtlSeconds: days * 86_400 }).catch(withoutSignIn)
  const page = ownPage(started.verification_uri_complete, settings.url)
  print(
    io.stderr,
    `Your code:  ${inLine(started.user_code)}\nScope:      ${scope}: ${scopeWords[scope]}\nValid for:  ${days === 1 ? '1 day' : `${days} days`}\n`,
  )
  const isOpened = options.browser && canAsk(io) && (await openBrowser(page, io.env))
  const where = isOpened ? 'on the page that opens, or at' : 'at'
  print(io.stderr, `Approve it, if the page shows the same code and scope, ${where}\n  ${inLine(page)}\n`)
  print(io.stderr, `Waiting for you, ${Math.floor(started.expires_in / 60)} minutes at most; Ctrl-C gives up.\n`)
  const { token, key } = await anonymous.signIn.wait(started)
  return store(io, settings.url, token, key.id)
}

function withoutSignIn(error: unknown): never {
  if (error instanceof ProblemError && error.status === 404)
    throw new LocalError('This hub has no sign-in from a terminal. Give it a token: hub login --paste.')
  throw error
}

/** The token that the person brought; null to sign in on a page. */
async function givenToken(io: AskingIo, settings: ClientSettings, options: LoginOptions): Promise<string | null> {
  const { token, tokenFrom } = settings
  if (token !== null && tokenFrom !== 'hub login') return token
  if (!canAsk(io)) {
    if (!options.browser && !options.paste) return null
    const piped = io.stdin.isTTY === true ? '' : (await textOf(io.stdin)).trim()
    if (piped !== '') return oneToken(piped)
    throw new LocalError(
      'No token to store: set HUB_TOKEN, use --token-file, or pipe it in; with --no-browser you sign in on a page.',
    )
  }
  if (!options.paste && (!options.browser || (await chosenWay(io, settings.url)) === 'page')) return null
  return oneToken(await askSecret(io, 'Token (not shown): '))
}

/** Asks until the answer is one of the two; no answer is the page. */
async function chosenWay(io: AskingIo, url: string): Promise<'page' | 'paste'> {
  print(
    io.stderr,
    `Sign in to ${inLine(url)}:\n  1  on a page of the hub, in a browser\n  2  with a token that you paste\n`,
  )
  for (;;) {
    const answer = await ask(io, 'Choose 1 or 2 [1]: ')
    if (answer === '' || answer === '1') return 'page'
    if (answer === '2') return 'paste'
  }
}

function oneToken(text: string): string {
  if (text === '' || /\s/.test(text)) throw new UsageError('That is not one token.')
  return text
}

/** Checks the token and stores it. */
async function store(io: AskingIo, url: string, token: string, keyId: string | null): Promise<CommandResult> {
  const me = await createHubClient({ url, token, retry: toldRetry(io.stderr) }).me()
  const file = await storeSettings(io.env, { url, token, ...(keyId !== null && { key_id: keyId }) })
  const shadow = io.env.HUB_TOKEN && io.env.HUB_TOKEN !== token ? ' HUB_TOKEN is set and goes first.' : ''
  return {
    json: { url, account: me.account.handle, scope: me.scope, expires_at: me.expires_at, key_id: keyId, file },
    text: `${inLine(`The token for ${url} works and is stored in ${file}. You are ${me.account.handle}, with the scope ${String(me.scope)}.${shadow}`)}\n`,
  }
}

async function logout(io: AskingIo): Promise<CommandResult> {
  const {
    url = DEFAULT_URL,
    token,
    key_id: keyId,
  } = await readStored(io.env).catch(() => ({ url: '', token: '', key_id: undefined }))
  const file = settingsFile(io.env)
  if (token === undefined)
    return { json: { logged_out: false, revoked: false, file }, text: 'No login is stored on this machine.\n' }
  const failure = keyId === undefined ? null : await revoke(io, checkedUrl(url, settingsFile(io.env)), token, keyId)
  await forgetSettings(io.env)
  const left = io.env.HUB_TOKEN ? ' HUB_TOKEN is still set.' : ''
  const revoked = keyId !== undefined && failure === null
  const what = revoked
    ? `The key ${keyId} is revoked`
    : keyId === undefined
      ? 'The token was not made by hub login and stays valid'
      : `The key ${keyId} could not be revoked (${failure}); revoke it on the hub`
  return {
    json: { logged_out: true, revoked, key_id: keyId ?? null, file },
    text: `${inLine(`${what}; ${file} is deleted.${left}`)}\n`,
    code: failure === null ? exitCode.ok : exitCode.failed,
  }
}

/** Null, or why the key is not revoked; a key that the hub no longer accepts is. */
async function revoke(io: AskingIo, url: string, token: string, keyId: string): Promise<string | null> {
  try {
    await createHubClient({ url, token, retry: toldRetry(io.stderr) }).signIn.revokeKey(keyId)
    return null
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) return null
    return error instanceof Error ? error.message : String(error)
  }
}
