import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { onRecord } from '../process-record.ts'
import type { GetTemporal } from './download.ts'
import { probe } from './probe.ts'

const folder = join(import.meta.dirname, '../../../tools/temporal')

/** Builds the program from Go modules. Returns undefined, or a sentence that says why it failed. */
export async function buildTemporal({ target, version, environment, record, say }: GetTemporal) {
  if ((await probe('go', ['version'], environment)) === undefined)
    return 'It cannot be built either: Go is not installed.'
  say(
    `Building the Temporal server ${version} from source; this happens once and takes about five minutes on two cores ...`,
  )
  const made = `${target}.building`
  rmSync(made, { force: true })
  const args = ['build', '-v', '-ldflags', '-s -w', '-o', made, 'github.com/temporalio/cli/cmd/temporal']
  const progress = reportProgress(say)
  const child = execa('go', args, {
    ...onRecord,
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'ignore', progress.lines],
  })
  record.add('temporal-build', child.pid!, 'SIGTERM')
  const { exitCode } = await child
  progress.end()
  record.remove(child.pid!)
  if (exitCode === 0 && existsSync(made)) return renameSync(made, target)
  rmSync(made, { force: true })
  return `The Temporal server could not be built (${progress.last()}).`
}

/** `go build -v` prints a line for each module that it downloads and each package that it has compiled. */
function reportProgress(say: (text: string) => void) {
  const began = Date.now()
  let [modules, packages, last] = [0, 0, 'Go said nothing']
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000)
    say(`  ${seconds} s: ${modules} modules downloaded, ${packages} packages compiled`)
  }, 10_000)
  return {
    *lines(this: void, text: string) {
      yield text
      last = text
      if (text.startsWith('go: downloading')) modules++
      else packages++
    },
    last: () => last,
    end: () => clearInterval(timer),
  }
}
