import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ExecutionContext } from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { ownEnvironment } from '../helpers/servers.ts'

/** Lists the variables of the page that a failed extraction has left empty. */
const spoilt = `declare -p | grep -E '^declare -- [A-Z_]+=""$'`

/** A shell in a folder, ended with the test. It keeps its variables and functions from one block to the next. */
export function openShell(t: ExecutionContext, cwd: string) {
  const child = spawn('bash', [], { cwd, env: ownEnvironment(), detached: true })
  const closed = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  t.teardown(async () => {
    process.kill(-child.pid!, 'SIGKILL')
    await closed
  })
  let blocks = 0
  /** Runs a block, and returns what it prints. Fails unless its last command succeeds, and all variables have a value. */
  return async (block: string, seconds = 120): Promise<string> => {
    const since = output.length
    blocks += 1
    const end = new RegExp(String.raw`\n*block ${blocks} ended with (\d+)\n`)
    child.stdin.write(`${block}\nprintf '\\nblock ${blocks} ended with %s\\n' $?\n`)
    const found = await eventually(seconds, `this ends: ${block}`, () => end.exec(output.slice(since)) ?? undefined)
    const printed = output.slice(since, since + found.index)
    if (found[1] !== '0') throw new Error(`This failed:\n${block}\n${printed}`)
    const left = blocks
    child.stdin.write(`${spoilt}\nprintf '\\nchecked ${left}\\n'\n`)
    const checked = new RegExp(String.raw`([^]*?)\nchecked ${left}\n`)
    const [, unset = ''] = await eventually(
      seconds,
      'the variables are read',
      () => checked.exec(output.slice(since + found.index + found[0].length)) ?? undefined,
    )
    if (unset.trim() !== '') throw new Error(`This left ${unset.trim()}:\n${block}\n${printed}`)
    return printed
  }
}
