import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server'
import type { ExecutionContext } from 'ava'
import { eventually } from '../../helpers/eventually.ts'
import { ownFolder } from '../../helpers/servers.ts'
import { listenerOf } from './apis.ts'
import { bridgeTo } from './bridge.ts'
import { createCounter } from './counter.ts'
import type { ServerName } from './plan.ts'

const programs = {
  everything: fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')),
  filesystem: fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')),
  memory: fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js')),
}

/** The published servers, the counter and the APIs, each behind a socket. */
export async function startServers(t: ExecutionContext) {
  const folder = ownFolder()
  const files = join(folder, 'files')
  mkdirSync(files)
  const counter = createCounter()
  const memory = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }
  const sockets: Record<ServerName, string> = {
    counter: await listenAt(t, join(folder, 'counter.sock'), counter.make),
    everything: await startEverything(t, join(folder, 'everything.sock')),
    filesystem: await listenAt(t, join(folder, 'filesystem.sock'), await bridgeTo(t, [programs.filesystem, files])),
    memory: await listenAt(t, join(folder, 'memory.sock'), await bridgeTo(t, [programs.memory], memory)),
    orders: await listenWith(t, join(folder, 'orders.sock'), listenerOf('orders', counter.count)),
    notes: await listenWith(t, join(folder, 'notes.sock'), listenerOf('notes', counter.count)),
  }
  return { files, counter, sockets }
}

/** It speaks HTTP itself, at a socket that is a file instead of at every address of the machine. */
async function startEverything(t: ExecutionContext, socketPath: string): Promise<string> {
  const child = spawn(process.execPath, [programs.everything, 'streamableHttp'], {
    env: { PORT: socketPath },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let isListening = false
  createInterface(child.stderr).on('line', (line) => (isListening ||= line.includes('listening')))
  await eventually(30, 'the server listens', () => isListening || undefined)
  return socketPath
}

function listenAt(t: ExecutionContext, socketPath: string, make: McpServerFactory): Promise<string> {
  const serve = toNodeHandler(createMcpHandler(make))
  return listenWith(t, socketPath, (request, response) => {
    // Its types want members to be absent that Node's may have as undefined.
    void serve(request as Parameters<typeof serve>[0], response)
  })
}

async function listenWith(t: ExecutionContext, socketPath: string, serve: RequestListener): Promise<string> {
  const server = createServer(serve)
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  return socketPath
}
