/**
 * The planner's registry: the facts about each training template. Constant data.
 *
 * The figures are this hub's own reference figures, rounded. They are set from the published size of each kind of model
 * (parameters, input resolution, chunk length, batch size and length of the usual training) and from the memory and
 * time that its users commonly see. They are not measurements; measurements of runs override them (`measured.ts`).
 */

export type TrainingMethod = 'lora' | 'full' | 'rl'

/** GB of 10^9 bytes throughout. */
export interface Template {
  readonly name: string
  readonly family: string
  readonly controlClass: 'reflex' | 'skill' | 'planner'
  readonly method: TrainingMethod
  /** False: planned, not implemented by any executor. */
  readonly isImplemented: boolean
  /** True: trains in simulation, with its own rules for hosted hardware. */
  readonly isSim: boolean
  /** Number of parameters, in billions. */
  readonly params: number
  /** 2 for BF16 weights, else 4. */
  readonly bytesPerParam: number
  /**
   * Memory of the process before any model: CUDA context, library workspaces, and the simulator if it runs on the GPU.
   */
  readonly runtimeFloorGb: number
  /** One sample's activations: per 224 x 224 image, per step of the action chunk, and a constant part. */
  readonly activationGb: { readonly image: number; readonly chunkStep: number; readonly sample: number }
  /** Published minimum memory of the method, if any. */
  readonly publishedFloorGb: number | null
  /** True: images keep the resolution of the dataset; false: the model rescales them. */
  readonly usesNativeImages: boolean
  readonly defaults: {
    /** Batch size, or environments of an RL template. */
    readonly samples: number
    readonly cameras: number
    readonly imagePx: number
    readonly chunkSize: number
    readonly steps: number
  }
  /** Hyperparameter names for each input; the first one present is used. */
  readonly keys: { readonly samples: string; readonly steps: readonly string[]; readonly chunkSize: readonly string[] }
  /** Samples per step of one environment or batch element. */
  readonly samplesPerStep: number
  /** Samples per second on a GPU with this many dense BF16 TFLOPS. */
  readonly reference: { readonly samplesPerS: number; readonly tier: string; readonly bf16Tflops: number }
}

const A100 = { tier: 'a100', bf16Tflops: 312 }
const L40S = { tier: 'l40s', bf16Tflops: 362 }

const imitation = {
  controlClass: 'skill',
  isSim: false,
  samplesPerStep: 1,
  keys: { samples: 'batch_size', steps: ['steps'], chunkSize: ['chunk_size', 'horizon'] },
} as const

const vlaLora = {
  ...imitation,
  method: 'lora',
  isImplemented: false,
  bytesPerParam: 2,
  usesNativeImages: false,
} as const

export const templates: readonly Template[] = [
  {
    ...imitation,
    name: 'act',
    family: 'action chunking transformer',
    method: 'full',
    isImplemented: true,
    params: 0.052,
    bytesPerParam: 4,
    runtimeFloorGb: 1.5,
    activationGb: { image: 0.035, chunkStep: 0.0002, sample: 0.01 },
    publishedFloorGb: null,
    usesNativeImages: true,
    defaults: { samples: 8, cameras: 2, imagePx: 480, chunkSize: 100, steps: 100_000 },
    reference: { samplesPerS: 150, ...A100 },
  },
  {
    ...imitation,
    name: 'diffusion_policy',
    family: 'diffusion policy',
    method: 'full',
    isImplemented: true,
    params: 0.263,
    bytesPerParam: 4,
    runtimeFloorGb: 1.5,
    // Two observation steps, so each camera gives two images.
    activationGb: { image: 0.05, chunkStep: 0.001, sample: 0.01 },
    publishedFloorGb: null,
    usesNativeImages: true,
    defaults: { samples: 64, cameras: 2, imagePx: 96, chunkSize: 16, steps: 200_000 },
    reference: { samplesPerS: 700, ...A100 },
  },
  {
    name: 'ppo_sim_a',
    family: 'proximal policy optimization in parallel simulation',
    controlClass: 'reflex',
    method: 'rl',
    isImplemented: true,
    isSim: true,
    params: 0.001,
    bytesPerParam: 4,
    runtimeFloorGb: 6,
    // State, contacts and rollout buffer of one environment.
    activationGb: { image: 0, chunkStep: 0, sample: 0.0015 },
    publishedFloorGb: 16,
    usesNativeImages: false,
    defaults: { samples: 4096, cameras: 0, imagePx: 0, chunkSize: 1, steps: 1500 },
    keys: { samples: 'num_envs', steps: ['steps', 'max_iterations'], chunkSize: [] },
    // Steps per environment between two updates.
    samplesPerStep: 24,
    reference: { samplesPerS: 60_000, ...L40S },
  },
  {
    ...vlaLora,
    name: 'vla_a_lora',
    family: 'flow-matching VLA, 3 B',
    params: 3.3,
    runtimeFloorGb: 2,
    activationGb: { image: 0.06, chunkStep: 0.0004, sample: 0 },
    publishedFloorGb: 22.5,
    defaults: { samples: 32, cameras: 3, imagePx: 224, chunkSize: 50, steps: 30_000 },
    reference: { samplesPerS: 40, ...A100 },
  },
  {
    ...vlaLora,
    name: 'vla_b_lora',
    family: 'small VLA, 0.5 B',
    params: 0.45,
    runtimeFloorGb: 2,
    activationGb: { image: 0.02, chunkStep: 0.0004, sample: 0 },
    publishedFloorGb: null,
    defaults: { samples: 64, cameras: 2, imagePx: 512, chunkSize: 50, steps: 20_000 },
    reference: { samplesPerS: 90, ...A100 },
  },
  {
    ...vlaLora,
    name: 'vla_c_lora',
    family: 'autoregressive VLA, 7 B',
    params: 7.5,
    runtimeFloorGb: 2,
    activationGb: { image: 2.8, chunkStep: 0.1, sample: 0 },
    publishedFloorGb: 27,
    defaults: { samples: 8, cameras: 1, imagePx: 224, chunkSize: 1, steps: 50_000 },
    reference: { samplesPerS: 8, ...A100 },
  },
]

/** Figures for a deployment's own template: its size is unknown, so these are of a medium-sized imitation policy. */
const unknownSize: Omit<Template, 'name'> = {
  ...imitation,
  family: 'own',
  method: 'full',
  isImplemented: true,
  params: 0.1,
  bytesPerParam: 4,
  runtimeFloorGb: 1.5,
  activationGb: { image: 0.035, chunkStep: 0.001, sample: 0.01 },
  publishedFloorGb: null,
  usesNativeImages: true,
  defaults: { samples: 16, cameras: 2, imagePx: 224, chunkSize: 50, steps: 100_000 },
  reference: { samplesPerS: 150, ...A100 },
}

/** The template names that a recipe may use, the deployment's own last. */
export function templateNames(extraTemplates: readonly string[]): string[] {
  return [...new Set([...templates.map(({ name }) => name), ...extraTemplates])]
}

/** A template by name; null if neither the registry nor the deployment has it. */
export function findTemplate(name: string, extraTemplates: readonly string[]): Template | null {
  const known = templates.find((template) => template.name === name)
  if (known) return known
  return extraTemplates.includes(name) ? { name, ...unknownSize } : null
}

/** Whether its figures are the registry's; false for a deployment's own template. */
export function hasFigures(template: Template): boolean {
  return templates.some(({ name }) => name === template.name)
}
