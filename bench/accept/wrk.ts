import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Load, Target } from './send.ts'

/** Sends requests with wrk for some seconds. */
export async function wrk(
  folder: string,
  url: string,
  targets: Target[],
  connections: number,
  seconds: number,
): Promise<Load> {
  const script = join(folder, `load-${randomUUID()}.lua`)
  writeFileSync(script, lua(targets, randomUUID()))
  const options = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--latency', '-s', script]
  const { stdout, stderr } = await promisify(execFile)('wrk', [...options, url], { maxBuffer: 1e8 })
  if (!/^RESULT/m.test(stdout)) throw new Error(stdout + stderr)
  const [, accepted = '', micros = '', p99 = '', others = ''] = /^RESULT (\d+) (\d+) (\d+) (.*)$/m.exec(stdout) ?? []
  if (others !== '') throw new Error(`not accepted: ${others}\n${stdout}`)
  return { accepted: Number(accepted), rate: (Number(accepted) / Number(micros)) * 1e6, p99: Number(p99) / 1000 }
}

const quoted = (text: string): string => `[==[${text}]==]`

const lua = (targets: Target[], prefix: string): string => `
local targets = {
${targets
  .map(({ path, headers, body }) => {
    const lines = Object.entries(headers).map(([name, value]) => `[ ${quoted(name)} ] = ${quoted(value)}`)
    return `  { path = ${quoted(path)}, body = ${quoted(body)}, headers = { ${lines.join(', ')} } },`
  })
  .join('\n')}
}
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() number = 0; bad = ''; good = 0; start = '${prefix}-' end
function request()
  number = number + 1
  local target = targets[number % #targets + 1]
  local headers = {}
  for name, value in pairs(target.headers) do headers[name] = value:gsub('{n}', start .. number) end
  return wrk.format('POST', target.path, headers, target.body)
end
function response(status, headers, body)
  if status == 202 then good = good + 1 elseif #bad < 500 then bad = bad .. status .. ' ' .. body:gsub('%s+', ' ') .. ' ' end
end
function done(summary, latency)
  local good, bad = 0, ''
  for _, thread in ipairs(threads) do good = good + thread:get('good'); bad = bad .. thread:get('bad') end
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  if errors > 0 then bad = bad .. errors .. ' requests without an answer' end
  print('RESULT ' .. good .. ' ' .. summary.duration .. " " .. math.floor(latency:percentile(99)) .. " " .. bad)
end
`
