/** MuJoCo's own result for a model, as the child process that runs it returns it. */

export interface OracleCase {
  /** Repo paths and what they hold. */
  readonly files: Readonly<Record<string, string | Uint8Array>>
  readonly entry: string
}

interface CompiledJoint {
  readonly name: string | null
  readonly type: 'hinge' | 'slide' | 'ball' | 'free'
  /** Place in `roots` of the child of world that it belongs to or hangs below. */
  readonly root: number
}

export interface CompiledModel {
  readonly model: string
  readonly joints: readonly CompiledJoint[]
  readonly roots: readonly { readonly name: string | null; readonly floating: boolean }[]
  readonly base: 'fixed' | 'floating'
  readonly keyframes: readonly (string | null)[]
  readonly names: {
    readonly bodies: readonly string[]
    readonly sites: readonly string[]
    readonly cameras: readonly string[]
    readonly actuators: readonly string[]
  }
  readonly sizes: { readonly nq: number; readonly nv: number; readonly nu: number; readonly na: number }
  /** Every file that was read, in byte order. */
  readonly files: readonly string[]
}

/** `none`: it crashed or did not finish in time, so that it has no verdict. */
export type Judgement =
  | { readonly verdict: 'compiles'; readonly compiled: CompiledModel }
  | { readonly verdict: 'refused'; readonly error: string }
  | { readonly verdict: 'none'; readonly reason: string; readonly late?: true }
