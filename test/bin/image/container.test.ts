import test from 'ava'
import { besideLine, startLine } from '../../../bin/image/container.ts'

const inside = { root: '/work/stage-1', folder: '/app', user: 1000, env: { HTTPS_PROXY: 'http://me:secret@proxy' } }

test('what a container gets is in the environment, because the arguments of a program can be seen by all', (t) => {
  for (const [, args, options] of [startLine(inside, ['node']), besideLine(inside, 42, ['node'])]) {
    t.false(args.join('\n').includes('secret'))
    t.deepEqual(options, { env: inside.env, extendEnv: false })
  }
})
