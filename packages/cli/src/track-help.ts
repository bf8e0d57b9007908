/** The help of `hub track`. */

import { hubExamples } from './output.ts'

/** Follows the options. */
export const trackHelp = `
Makes a run of the hub and runs the command as it is: its terminal, its signals and its exit code stay. What it prints
is the run's log. Metrics come from
  --metrics FILE               JSON lines ({"step": 1, "loss": 0.5}), or CSV whose first line names the columns
  --tensorboard DIR            TensorBoard's event files below DIR, which are found if you do not name it
  HUB_RUN_DIR/metrics.jsonl    the same lines, in the folder that the command finds in HUB_RUN_DIR
  import hub; hub.init()       of the Python client, which then writes there
  import wandb                 as it stands in the script: it finds the hub's module; --no-wandb leaves the real one
The command also gets HUB_RUN_ID, HUB_RUN_URL and HUB_URL, and not your key. In HUB_RUN_DIR it may write what
\`hub runner\` looks for too: config.yaml, checkpoints/step_N/ and scorecard.json.
Media are lines of media.jsonl there, with their files below media/; artifacts lines of artifacts.jsonl, with folders
below artifacts/; wandb.json and summary.json are read as well. docs/track.md says how.

With --hf Hugging Face's clients in the command (LeRobot, huggingface_hub) use this hub instead of huggingface.co, base
models too. The key in HF_TOKEN is made for this run: it reads what the run names, makes private model repos and writes
those and the run's own, and is dead once the run has ended. The hub must answer when the command begins.

Of TensorBoard scalars become metrics; pictures, sound, text and histograms media; settings config. They keep their
tags: a file in the folder eval below DIR has eval/ before them. What is in DIR before the command begins is left out,
and at most 1,000 files are read. Without --tensorboard DIR its files are found: those that processes of the command
have open (on Linux), and new ones in its folder and the 2,000 folders next below it. The folder of the first one is
DIR then. --no-tensorboard leaves them alone.

The run also has metrics of the machine below system/ (processor, memory, disk, network, and GPUs by nvidia-smi), and
what it was made with: the command with its secrets masked, the Git commit, remote and diff, the Python packages, the
machine. A diff that holds a secret is left out. \`hub runs RUN --json\` and the page show it.

While the hub cannot be reached the command goes on, and all is sent when the hub is back. What is not sent when the
command ends waits on this machine: \`hub track --resume\` sends it. A cancel on the hub ends the command: SIGTERM, and
SIGKILL after 20 seconds.

If \`hub track\` itself is killed, the command goes on and so do its files: \`hub track --resume\` follows them and
loses nothing. \`hub track --resume -- COMMAND\` begins the command again, in the same run, or as its child if the run
has ended. Lines that the hub has are not sent twice.

Exit codes: those of the command; 127 if there is no such command, 137 if it ended while \`hub track\` was killed. Before
the command begins: 2 wrong usage, 3 not allowed, 5 rejected, 7 not logged in (the key needs the scope train).
${hubExamples(
  'track -- python train.py --lr 1e-4',
  'track --project walk --name "wide net" --tag baseline -- python train.py',
  'track --metrics logs/progress.csv -- ./train.sh',
  'track --tensorboard runs -- python train.py',
  'track --resume',
)}`
