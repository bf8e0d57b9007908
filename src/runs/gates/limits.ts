/** Limits of gate results (contract, "Gates"). */

/** Results of one run that stay, those of its last steps: as many as a tripwire may look at. */
export const MAX_GATE_RESULTS = 1000

/** Of one request: more checkpoints than a runner gates during an outage of the hub. */
export const MAX_RESULTS = 100
