import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { GetTemporal } from './download.ts'

const folder = join(import.meta.dirname, '../../../tools/temporal')

/** Builds the program from Go modules. Returns undefined, or the sentence that says why it did not work. */
export async function buildTemporal({ target, version, environment, record, say }: GetTemporal) {
  if (spawnSync('go', ['version'], { env: environment }).status !== 0) return 'It cannot be built either: no Go here.'
  say(`Building the Temporal server ${version} from source; once, about five minutes on two cores ...`)
  const made = `${target}.building`
  rmSync(made, { force: true })
  const args = ['build', '-v', '-ldflags', '-s -w', '-o', made, 'github.com/temporalio/cli/cmd/temporal']
  const child = spawn('go', args, {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  record.add('temporal-build', child.pid!, 'SIGTERM')
  const progress = tellProgress(say)
  createInterface({ input: child.stderr }).on('line', (line) => progress.line(line))
  await once(child, 'close')
  progress.end()
  record.remove(child.pid!)
  if (child.exitCode === 0 && existsSync(made)) return renameSync(made, target)
  rmSync(made, { force: true })
  return `The Temporal server could not be built (${progress.last()}).`
}

/** `go build -v` prints a line for each module that it downloads and each package that it has compiled. */
function tellProgress(say: (text: string) => void) {
  const began = Date.now()
  let [modules, packages, last] = [0, 0, 'Go said nothing']
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000)
    say(`  ${seconds} s: ${modules} modules downloaded, ${packages} packages compiled`)
  }, 10_000)
  return {
    line(text: string) {
      last = text
      if (text.startsWith('go: downloading')) modules++
      else packages++
    },
    last: () => last,
    end: () => clearInterval(timer),
  }
}
