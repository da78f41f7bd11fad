import test from 'ava'
import { cronFields, readCronField } from '../../../../src/schedules/cron/cron-fields.ts'

type Name = keyof typeof cronFields

const all = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)

// @promise cron
test('expressions are read as crontab reads them', (t) => {
  const rows: [Name, string, number[]][] = [
    ['minute', '*', all(0, 59)],
    ['hour', '*', all(0, 23)],
    ['dayOfMonth', '*', all(1, 31)],
    ['month', '*', all(1, 12)],
    ['dayOfWeek', '*', all(0, 6)],
    ['minute', '0,009,59', [0, 9, 59]],
    ['hour', '00,23', [0, 23]],
    ['dayOfMonth', '01,31', [1, 31]],
    ['month', '1,12', [1, 12]],
    ['minute', '*/15', [0, 15, 30, 45]],
    ['hour', '8-18/5', [8, 13, 18]],
    ['minute', '5,3,4,3-5', [3, 4, 5]],
    ['month', 'JAN,feb-Apr,dEc', [1, 2, 3, 4, 12]],
    ['month', 'mar,may,jun,jul,aug,sep,oct,nov', [3, ...all(5, 11)]],
    ['dayOfWeek', 'SUN,mon,tue,wed,thu,fri,sat', all(0, 6)],
    ['dayOfWeek', '7', [0]],
    ['dayOfWeek', '5-7', [0, 5, 6]],
    ['dayOfWeek', 'fri-sun', [0, 5, 6]],
    ['dayOfWeek', 'sun-tue', [0, 1, 2]],
    ['dayOfWeek', 'sun-sun', [0]],
    ['dayOfWeek', '0-7', all(0, 6)],
    ['dayOfWeek', '*/7', [0]],
    ['dayOfWeek', '1-7/2', [0, 1, 3, 5]],
    ['minute', '*/60', [0]],
    ['hour', '*/24', [0]],
    ['dayOfMonth', '*/31', [1]],
    ['month', '*/12', [1]],
    ['minute', '*,7', all(0, 59)],
    ['hour', '5-5', [5]],
  ]
  for (const [name, text, values] of rows) t.deepEqual(readCronField(cronFields[name], text), { values }, text)
})

test('what is wrong with a field is said', (t) => {
  const rows: [Name, string, RegExp][] = [
    ['minute', '60', /^must be \*, or numbers from 0 to 59,/],
    ['hour', '25', /^must be \*, or numbers from 0 to 23,/],
    ['dayOfMonth', '0', /^must be \*, or numbers from 1 to 31,/],
    ['month', '13', /^must be \*, or numbers from 1 to 12 or names from jan to dec,/],
    ['dayOfWeek', '8', /^must be \*, or numbers from 0 to 7 or names from sun to sat,/],
    ['month', 'mon', /^must/],
    ['minute', '1,99,3', /^has "99", which must be \*, or numbers/],
    ['minute', '1,,3', /^must have a value before and after each comma$/],
    ['minute', '5/15', /^must have a range before the "\/" \(write 5-59\/15 or \*\/15\)$/],
    ['dayOfWeek', 'fri/2', /^must have a range before the "\/" \(write fri-6\/2 or/],
    ['minute', '5-1', /^must not contain the empty range/],
    ['minute', '*/0', /^must have a step from 1 to 60/],
    ['hour', '*/25', /^must have a step from 1 to 24/],
    ['minute', '*/', /^must have a step/],
    ['minute', '1-9/2/2', /^must have a step/],
    ['minute', '*/x', /^must have a step/],
    ['minute', '1-2-3', /^must be/],
    ['minute', '-1', /^must be/],
    ['minute', '+1', /^must be/],
    ['minute', '0x1', /^must be/],
    ['minute', '٣', /^must be/],
    ['minute', '0\n0', /^must be/],
    ['dayOfMonth', 'L-3', /^must not contain "L"/],
    ['dayOfWeek', '5L', /^must not contain "L"/],
    ['dayOfMonth', '15W', /^must not contain "W"/],
    ['dayOfWeek', '5#2', /^must not contain "#"/],
    ['dayOfMonth', '?', /^must not contain "\?" \(write \*/],
  ]
  for (const [name, text, expected] of rows) {
    const result = readCronField(cronFields[name], text)
    t.regex('problem' in result ? result.problem : 'accepted', expected, text)
  }
})
