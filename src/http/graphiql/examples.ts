/**
 * The tabs that GraphiQL opens with: the commonest jobs, each as a document that works once its variables are filled
 * in.
 */

export interface Example {
  /** Of the first operation; GraphiQL names the tab like it. */
  readonly name: string
  /** In the menu. */
  readonly title: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Placeholders that say where an id comes from; they are ids of nothing. */
const aRun = 'run_PUT-THE-ID-OF-A-RUN-HERE'
const aHold = 'spend_PUT-THE-ID-OF-A-HOLD-HERE'

export const examples: readonly Example[] = [
  {
    name: 'FindRobot',
    title: 'Find a robot and its card',
    query: `# Robots whose name or description has the text, and what their cards say.
# Run it with the button, or Ctrl+Enter.
query FindRobot($text: String) {
  repos(kind: ROBOT, q: $text, first: 10) {
    nodes {
      fullName
      description
      fileSummary { count totalBytes }
      card { dof mjcfPath massKg actuators { name } interfaceFingerprint updatedAt }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`,
    variables: { text: '' },
  },
  {
    name: 'RunsAndMetrics',
    title: 'List runs and their latest metrics',
    query: `# Your runs and those of your orgs, newest first. Sign in first, or use a key.
query RunsAndMetrics($status: JobStatus) {
  runs(status: $status, first: 20) {
    nodes {
      id
      displayName
      status
      owner { handle }
      progress { fraction iteration etaAt }
      latestMetrics
      costUsd
    }
    pageInfo { hasNextPage endCursor }
  }
}

# The same list, live: subscribe, then read the list.
subscription RunsLive($owner: String!) {
  runsUpdated(owner: $owner) {
    nodes { id displayName status latestMetrics }
    removedIds
    cursor
  }
}
`,
    variables: { status: null, owner: 'YOUR-HANDLE' },
  },
  {
    name: 'FollowLog',
    title: "Follow a run's log",
    query: `# The last lines, then those that come, until the run has ended. Resume with \`after: cursor\`.
subscription FollowLog($runId: ID!) {
  runLog(runId: $runId, tail: 50, stripAnsi: true) {
    events { ts stream line }
    cursor
    status
  }
}
`,
    variables: { runId: aRun },
  },
  {
    name: 'EstimateRun',
    title: 'Price a run, then submit it',
    query: `# What it can cost at most. Writes nothing.
mutation EstimateRun($recipe: RunRecipeInput!, $owner: String) {
  estimateRun(input: { recipe: $recipe, owner: $owner }) {
    executor
    tier
    maxHours
    rateUsdPerHour
    costUsdMax
    cappedByBudget
  }
}

# Choose this one at the button to submit it. A hosted run costs money.
mutation SubmitRun($recipe: RunRecipeInput!, $owner: String) {
  createRun(input: { recipe: $recipe, owner: $owner }) {
    result {
      __typename
      ... on Run { id displayName status }
      ... on SpendHold { id summary reserveUsd }
    }
    warnings
  }
}
`,
    variables: { recipe: { template: 'act', dataset: [], hyperparams: {}, executor: 'WORKER' }, owner: null },
  },
  {
    name: 'PendingHolds',
    title: 'Decide on held spend',
    query: `# What agents asked for and a person has to confirm.
query PendingHolds {
  spendHolds(status: PENDING, first: 20) {
    nodes {
      id
      summary
      account { handle }
      filedBy { name }
      estimateUsd
      reserveUsd
      cap { limitUsd monthUsd }
      expiresAt
    }
  }
}

# Both need a person who is signed in: a key decides nothing.
mutation Approve($holdId: ID!) {
  approveSpendHold(input: { holdId: $holdId }) {
    hold { id status resultId }
  }
}

mutation Deny($holdId: ID!, $reason: String!) {
  denySpendHold(input: { holdId: $holdId, reason: $reason }) {
    hold { id status reason }
  }
}
`,
    variables: { holdId: aHold, reason: 'Not now.' },
  },
]

/** As GraphiQL keeps it in a tab. */
export const variablesText = ({ variables }: Example): string => JSON.stringify(variables, null, 2)
