/** What the packed command gives to a Python that has no client installed. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { wandbFolder } from '@hub/track'
import { expect, it } from 'vitest'
import { copyPythonSources } from '../../scripts/pack/python-sources.ts'
import { noPython, runPython } from '../support/python.ts'

it(
  "`import wandb` finds the hub's module beside the packed command, with all that it imports",
  needs(noPython),
  async () => {
    const base = await mkdtemp(join(tmpdir(), 'hub-packed-'))
    try {
      const dist = join(base, 'node_modules/hub/dist')
      await mkdir(dist, { recursive: true })
      expect(wandbFolder(dist)).toBe(null)
      await copyPythonSources(join(dist, 'python'))
      const folder = wandbFolder(dist) ?? ''
      expect(folder).toBe(join(dist, 'python/hub/_as_wandb'))
      const script = 'import hub, wandb; print(wandb.init.__module__, hub.__file__)'
      const env = { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }
      const { code, out, err } = await runPython(['-c', `import wandb; ${script}`], { cwd: base, env })
      expect([code, err]).toEqual([0, ''])
      expect(out.trim()).toMatch(new RegExp(`^hub\\.wandb\\S* ${dist}/python/hub/__init__\\.py$`))
    } finally {
      await rm(base, { recursive: true, force: true })
    }
  },
)
