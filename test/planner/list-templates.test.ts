/** The templates that a recipe may name, in both dialects. */
import { describe, expect, it } from 'vitest'
import { contractHub, type Json } from '../support/hub.ts'

const hub = contractHub({ EXTRA_TEMPLATES: 'lab_bc' })

describe('the training templates', () => {
  it("are public: the hub's, then the deployment's own", async () => {
    const { status, json } = await hub.call(null, 'GET', '/v1/templates')
    expect(status).toBe(200)
    expect(json.items.map(({ name, implemented }: Json) => [name, implemented])).toEqual([
      ['act', true],
      ['diffusion_policy', true],
      ['ppo_sim_a', true],
      ['vla_a_lora', false],
      ['vla_b_lora', false],
      ['vla_c_lora', false],
      ['lab_bc', true],
    ])
    expect(json.items.at(-1).model_family).toBe('own')
    expect(json.items[2].hyperparameters).toEqual([
      {
        name: 'num_envs',
        other_names: [],
        description: 'Environments that are simulated side by side.',
        default: 4096,
      },
      { name: 'steps', other_names: ['max_iterations'], description: 'Iterations of the training.', default: 1500 },
    ])
  })

  it('have the hyperparameters that a recommendation counts with, by each of their names', async () => {
    const person = await hub.person()
    const { data } = await hub.graphql(
      null,
      '{ trainingTemplates { items { name hyperparameters { name otherNames default } } } }',
      {},
    )
    const countedBy = { batch_size: 'batch_size', num_envs: 'batch_size', steps: 'steps', chunk_size: 'chunk_size' }
    for (const { name: template, hyperparameters } of data.trainingTemplates.items)
      for (const { name, otherNames, default: preset } of hyperparameters) {
        const inputsFor = async (hyperparams: Json) =>
          (await hub.call(person, 'POST', '/v1/runs/recommend', { recipe: { template, hyperparams } })).json.inputs
        const input = countedBy[name as keyof typeof countedBy]
        expect([template, name, (await inputsFor({}))[input]]).toEqual([template, name, preset])
        for (const one of [name, ...otherNames])
          expect([template, one, (await inputsFor({ [one]: 7 }))[input]]).toEqual([template, one, 7])
      }
  })
})
