import { Button } from 'react-aria-components/Button'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Select, SelectValue } from 'react-aria-components/Select'
import styles from './Choice.module.css'
import menu from './Menu.module.css'

interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; text: string }[]
  onChoose: (value: Value) => void
  /** As a field of a form: its label is above it. */
  isField?: boolean
}

/** One of a few values. */
export const Choice = <Value extends string>({
  label,
  value,
  options,
  onChoose,
  isField = false,
}: ChoiceProps<Value>) => (
  <Select
    className={`${styles.choice} ${isField ? styles.field : ''}`}
    value={value}
    onChange={(key) => {
      if (key !== null) onChoose(key as Value)
    }}
  >
    <Label className={styles.label}>{label}</Label>
    <Button className={styles.button as string}>
      <SelectValue />
      <span aria-hidden="true" className={styles.arrow}>
        ▾
      </span>
    </Button>
    <Popover className={menu.popover as string}>
      <ListBox className={menu.list as string} items={options.map((option) => ({ ...option, id: option.value }))}>
        {({ id, text }) => (
          <ListBoxItem id={id} className={menu.item as string}>
            {text}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </Select>
)
