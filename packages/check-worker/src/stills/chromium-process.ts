/**
 * Chromium for one page: a process group of its own, with nothing of the worker's environment, a profile that is
 * removed, limits, and no way to a network, unless a page of the hub is opened, which reads from its object store too.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { StillsLimits } from './limits.ts'

export interface ChromiumProcess {
  readonly browser: Browser
  /** Ends the whole group at once, and removes what it wrote. */
  end(): Promise<void>
}

/**
 * `$1` is the processor time in s, `$2` the memory in KiB that each process may ask for (address space that is only
 * reserved does not count), `$3` where the number of the group goes. The kernel keeps these limits even when the worker
 * is gone.
 */
const wrapper = 'ulimit -c 0; ulimit -S -t "$1"; ulimit -d "$2"; echo $$ >"$3"; shift 3; exec "$@"'

const KIB_PER_MIB = 1024

/**
 * Rejects where the program does not start as a browser. The signal of `start` is not asked again once it runs.
 * `startMs`: as long as its processor time if absent.
 * `network`: `open` for a page of the hub.
 */
export async function startChromium(
  program: string,
  limits: Pick<StillsLimits, 'timeS' | 'memoryMiB'> & { readonly startMs?: number },
  network: 'none' | 'open' = 'none',
): Promise<ChromiumProcess> {
  // Loading it takes longer than most commands of the command line.
  const { chromium } = await import('playwright-core')
  const folder = await mkdtemp(join(tmpdir(), 'hub-stills-'))
  const group = join(folder, 'group')
  const end = async () => {
    await endGroup(group)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const own = [String(Math.ceil(limits.timeS)), String(limits.memoryMiB * KIB_PER_MIB), group]
  try {
    const browser = await chromium.launch({
      executablePath: '/bin/sh',
      ignoreDefaultArgs: true,
      args: ['-c', wrapper, 'hub-stills', ...own, program, ...switches(join(folder, 'profile'), network)],
      env: { HOME: folder, TMPDIR: folder, PATH: '/usr/bin:/bin' },
      // The worker ends its checks itself.
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
      timeout: limits.startMs ?? 1_000 * limits.timeS,
    })
    return { browser, end }
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * Playwright's own set is for tests of web pages; these are what one silent page needs. WebGL is drawn by the
 * processor, alike on every machine.
 */
function switches(profile: string, network: 'none' | 'open'): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    '--no-startup-window',
    `--user-data-dir=${profile}`,
    // Chromium does not start with its sandbox as root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--force-color-profile=srgb',
    '--force-device-scale-factor=1',
    // No name has an address, and no server is asked.
    ...(network === 'none' ? ['--host-resolver-rules=MAP * ~NOTFOUND'] : []),
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-extensions',
    '--disable-breakpad',
    '--disable-dev-shm-usage',
    '--metrics-recording-only',
    '--no-first-run',
    '--no-default-browser-check',
    '--password-store=basic',
    '--mute-audio',
  ]
}

async function endGroup(file: string): Promise<void> {
  const group = Number(await readFile(file, 'utf8').catch(() => ''))
  if (!Number.isInteger(group) || group <= 1) return
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
