import { Tooltip } from '@base-ui/react/tooltip';
import type { ComponentProps, ReactNode } from 'react';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** Its name, also shown on hover. */
  label: string;
  icon: ReactNode;
  /** Keys that do the same, such as "Esc". */
  keys?: string;
  size?: 'small';
}

/** A button that shows an icon only. */
export function IconButton({ label, icon, keys, size, ...props }: IconButtonProps) {
  return (
    <Hint label={label} {...(keys ? { keys } : {})}>
      <button type="button" className="icon-button" data-size={size} aria-label={label} {...props}>
        {icon}
      </button>
    </Hint>
  );
}

/** Shows `label` when the pointer or the focus rests on the button inside. */
export function Hint(props: { label: string; keys?: string; children: React.ReactElement }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={props.children as React.ReactElement<Record<string, unknown>>} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} collisionPadding={8}>
          <Tooltip.Popup className="tooltip">
            {props.label}
            {props.keys && <kbd>{props.keys}</kbd>}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
