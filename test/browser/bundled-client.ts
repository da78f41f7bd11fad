import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import webpack from 'webpack'

/** The package `ai` as one script for browsers, with which a page has it as the global `client`. */
export async function bundleClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-client-'))
  try {
    await bundle({
      mode: 'none',
      target: 'web',
      entry: import.meta.resolve('ai').replace('file://', ''),
      output: { path: folder, filename: 'client.js', library: { type: 'window', name: 'client' } },
    })
    return await readFile(join(folder, 'client.js'), 'utf8')
  } finally {
    await rm(folder, { recursive: true })
  }
}

function bundle(options: webpack.Configuration): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  webpack(options, (error, stats) => {
    if (error) reject(error)
    else if (stats?.hasErrors()) reject(new Error(stats.toString({ all: false, errors: true })))
    else resolve()
  })
  return promise
}
