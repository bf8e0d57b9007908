/**
 * The hardware tiers for runs: the default table, or a deployment's own table from a file.
 * Contract, "Planning and creating runs".
 */
import { z } from 'zod'
import { type Usd, usd } from './money.ts'

export interface HardwareTier {
  readonly tier: string
  readonly vramGb: number
  /** Dense BF16; used to scale throughput between tiers. */
  readonly bf16Tflops: number
  /** Includes the hub's margin. */
  readonly rateUsdPerHour: Usd
  readonly description: string
  /** Labels of its nodes in the cluster of the hosted backend; null: `hub/tier` with its name. */
  readonly nodeSelector: Readonly<Record<string, string>> | null
}

/** Smallest first: by memory, then by rate. The first that fits is then the smallest that fits. */
export type TierTable = readonly HardwareTier[]

const tierFile = z
  .array(
    z.strictObject({
      tier: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9, _ and -'),
      vram_gb: z.number().positive(),
      bf16_tflops: z.number().positive(),
      rate_usd_per_hour: z.number().min(0).max(10_000),
      description: z.string().max(200).optional(),
      node_selector: z.record(z.string().min(1), z.string()).optional(),
    }),
  )
  .min(1, 'must name at least one tier')

type TierRow = z.output<typeof tierFile>[number]

const builtIn: readonly TierRow[] = [
  { tier: 'l4', vram_gb: 24, bf16_tflops: 121, rate_usd_per_hour: 0.7992, description: 'NVIDIA L4, 24 GB' },
  { tier: 'a10g', vram_gb: 24, bf16_tflops: 70, rate_usd_per_hour: 1.1016, description: 'NVIDIA A10G, 24 GB' },
  { tier: 'l40s', vram_gb: 48, bf16_tflops: 362, rate_usd_per_hour: 1.9512, description: 'NVIDIA L40S, 48 GB' },
  { tier: 'a100', vram_gb: 80, bf16_tflops: 312, rate_usd_per_hour: 2.4984, description: 'NVIDIA A100, 80 GB' },
  { tier: 'h100', vram_gb: 80, bf16_tflops: 989, rate_usd_per_hour: 3.9492, description: 'NVIDIA H100, 80 GB' },
]

function tableOf(rows: readonly TierRow[]): TierTable {
  return rows
    .map((row) => ({
      tier: row.tier,
      vramGb: row.vram_gb,
      bf16Tflops: row.bf16_tflops,
      rateUsdPerHour: usd(row.rate_usd_per_hour),
      description: row.description ?? `${row.tier}, ${row.vram_gb} GB`,
      nodeSelector: row.node_selector ?? null,
    }))
    .sort((a, b) => a.vramGb - b.vramGb || Number(a.rateUsdPerHour) - Number(b.rateUsdPerHour))
}

export const defaultTiers: TierTable = tableOf(builtIn)

/**
 * Parses a JSON array of `{tier, vram_gb, bf16_tflops, rate_usd_per_hour, description?, node_selector?}`. Throws an
 * Error that names the fault.
 */
export function parseTierFile(text: string): TierTable {
  const parsed = tierFile.safeParse(readJson(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
  }
  const names = parsed.data.map(({ tier }) => tier)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`names the tier ${twice} twice`)
  return tableOf(parsed.data)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
}
