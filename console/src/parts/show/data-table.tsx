import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useShortcuts, useShortcutsHere } from "#parts/keyboard/use-shortcuts.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { whole } from "./figures.tsx";

export type Column<Row> = {
  /** Unique in its table. */
  key: string;
  /** The head; also the label of the value where rows are cards. */
  title: string;
  render: (row: Row) => ReactNode;
  /** A track of a CSS grid: `8rem`, or a share of what is left, `2fr`. `1fr` by default. */
  width?: string;
  align?: "right";
  /** Left out between a telephone's width and a desktop's. */
  isExtra?: boolean;
};

/** The rows of a list: the result of `usePages`, or rows that are all there. */
export type Rows<Row> = {
  rows: readonly Row[];
  isPending?: boolean;
  error?: unknown;
  refetch?: () => unknown;
  hasNextPage?: boolean;
  /** How many there are in all, where that is known before the last page. */
  total?: number | undefined;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
  /** There is newer, which is not shown because it would move what is being read. */
  isBehind?: boolean;
  catchUp?: () => unknown;
};

/** Below this rows are cards: the first column is a card's title. */
const NARROW = "(max-width: 48em)";
const ROW_PX = 38;
const CARD_PX = 104;
/** The head of the page, below which the table's own sticks. */
const HEADER_PX = 48;
/** The next page is asked for when so many rows are left below. */
const AHEAD_ROWS = 30;
const SKELETON_ROWS = [72, 55, 64, 48, 68, 60, 52, 66];

/**
 * A list of any length: only the rows in sight are in the document, and pages come as one scrolls. Up and down move
 * between rows, as do j and k from anywhere on the page, Home and End to the first and the last, Enter opens. On a small screen rows are cards.
 *
 * @param to where a row leads: its first cell is a link then. Or `open`, which is called with the row, as for a drawer.
 * @param height the table scrolls by itself at this height, as in a drawer; else it scrolls with the page
 */
export function DataTable<Row>({
  label,
  list,
  columns,
  rowKey,
  to,
  open,
  empty,
  height,
}: {
  label: string;
  list: Rows<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  to?: (row: Row) => string;
  open?: (row: Row) => void;
  /** Shown when there is no row at all: an EmptyState. */
  empty: ReactNode;
  height?: string | number;
}) {
  const {
    rows,
    isPending = false,
    error,
    refetch,
    hasNextPage = false,
    isFetchingNextPage = false,
    fetchNextPage,
  } = list;
  const isNarrow = useMediaQuery(NARROW) ?? false;
  const navigate = useNavigate();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const wanted = useRef<number>(undefined);
  const [top, setTop] = useState(0);

  const common = {
    count: rows.length,
    estimateSize: () => (isNarrow ? CARD_PX : ROW_PX),
    getItemKey: (index: number) => rowKey(rows[index]!),
    overscan: 12,
  };
  const ofPage = useWindowVirtualizer({
    ...common,
    enabled: height === undefined,
    scrollMargin: top,
    scrollPaddingStart: HEADER_PX + ROW_PX,
  });
  const ofBox = useVirtualizer({ ...common, enabled: height !== undefined, getScrollElement: () => box.current });
  const virtual = height === undefined ? ofPage : ofBox;
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;

  // What is above the table may grow, and the rows with it move down.
  useEffect(() => {
    const measure = () => setTop((box.current?.getBoundingClientRect().top ?? 0) + scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - AHEAD_ROWS) fetchNextPage?.();
  }, [hasNextPage, isFetchingNextPage, last, rows.length, fetchNextPage]);

  const focusWanted = () => {
    if (wanted.current === undefined) return;
    const row = box.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (row) {
      row.focus({ preventScroll: true });
      wanted.current = undefined;
    }
  };
  // A row that was out of sight can take the focus once it is drawn.
  useEffect(focusWanted);

  const isOnRow = () => (document.activeElement as HTMLElement | null)?.dataset.row !== undefined;
  const go = (index: number) => {
    if (rows.length === 0) return;
    const next = Math.max(0, Math.min(rows.length - 1, index));
    wanted.current = next;
    setActive(next);
    virtual.scrollToIndex(next, { align: "auto" });
    focusWanted();
  };
  useShortcuts({
    next: () => go(isOnRow() ? active + 1 : active),
    previous: () => go(isOnRow() ? active - 1 : active),
  });
  const openRow = (row: Row) => (open ? open(row) : to && void navigate(to(row)));
  const isOpenable = to !== undefined || open !== undefined;
  // By the row itself: rows that came meanwhile have moved it down.
  const openFocused = () => {
    const row = rows[Number((document.activeElement as HTMLElement).dataset.row)];
    if (row !== undefined) openRow(row);
  };
  const ofRow = useShortcutsHere({
    down: () => go(active + 1),
    up: () => go(active - 1),
    first: () => go(0),
    last: () => go(rows.length - 1),
    ...(isOpenable ? { open: openFocused } : {}),
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if ((event.target as HTMLElement).dataset.row !== undefined) ofRow(event);
  };

  if (error && rows.length === 0) return <ErrorState error={error} retry={refetch && (() => void refetch())} />;
  // A page of what is rare may be empty, and not be the last.
  if (!isPending && rows.length === 0 && !hasNextPage) return empty;

  const tracks = (of: readonly Column<Row>[]) =>
    of.map(({ width = "1fr" }) => (width.endsWith("fr") ? `minmax(0, ${width})` : width)).join(" ");
  const style = {
    "--tracks": tracks(columns),
    "--few-tracks": tracks(columns.filter(({ isExtra }) => !isExtra)),
    ...(height === undefined ? {} : { maxHeight: height, overflowY: "auto" as const }),
  };
  const offset = height === undefined ? top : 0;
  return (
    <div className="parley-table" style={style as React.CSSProperties} ref={box}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={hasNextPage ? -1 : rows.length + 1}
        onKeyDown={onKeyDown}
        tabIndex={-1}
      >
        <div role="row" aria-rowindex={1} className="parley-table-head" tabIndex={-1}>
          {columns.map(({ key, title, align, isExtra }) => (
            <div key={key} role="columnheader" tabIndex={-1} data-align={align} data-extra={isExtra || undefined}>
              {title}
            </div>
          ))}
        </div>
        {isPending ? (
          <Waiting />
        ) : (
          <div role="rowgroup" style={{ position: "relative", height: virtual.getTotalSize() }}>
            {items.map(({ index, key, start }) => {
              const row = rows[index]!;
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it hears the keys.
                <div
                  key={key}
                  role="row"
                  aria-rowindex={index + 2}
                  data-row={index}
                  data-index={index}
                  ref={virtual.measureElement}
                  tabIndex={index === active ? 0 : -1}
                  className="parley-table-row"
                  data-open={isOpenable || undefined}
                  onFocus={() => setActive(index)}
                  onClick={(event) => {
                    if (!isOpenable || isOfItsOwn(event.target as HTMLElement)) return;
                    openRow(row);
                  }}
                  style={{ transform: `translateY(${start - offset}px)` }}
                >
                  <Cells row={row} columns={columns} to={to?.(row)} />
                </div>
              );
            })}
          </div>
        )}
      </div>
      <Group className="parley-table-foot" data-waiting={isPending || undefined} justify="space-between" gap="sm">
        <Text size="xs" c="dimmed" role="status">
          {isPending
            ? "Loading"
            : hasNextPage
              ? `${whole(rows.length)} ${list.total === undefined ? "so far" : `of ${whole(list.total)}`}, more below`
              : `${whole(rows.length)} ${rows.length === 1 ? "row" : "rows"}`}
        </Text>
        {list.isBehind && (
          <Button size="compact-xs" variant="light" onClick={() => list.catchUp?.()}>
            There is newer: show it
          </Button>
        )}
        {error !== undefined && error !== null && rows.length > 0 && (
          <Button size="compact-xs" color="red" variant="light" onClick={() => (fetchNextPage ?? refetch)?.()}>
            The rest could not be loaded: try again
          </Button>
        )}
      </Group>
    </div>
  );
}

type CellsOf<Row> = { row: Row; columns: readonly Column<Row>[]; to: string | undefined };

/** Drawn again when the row is another, and not with each count on the page around: columns that are made once are the same. */
const Cells = memo(function Cells<Row>({ row, columns, to }: CellsOf<Row>) {
  return columns.map(({ key, title, render, align, isExtra }, at) => {
    const content = render(row);
    return (
      <div
        key={key}
        role="gridcell"
        tabIndex={-1}
        data-align={align}
        data-extra={isExtra || undefined}
        data-title={title}
        // What is too long for its column is cut off.
        title={typeof content === "string" ? content : undefined}
      >
        {at === 0 && to !== undefined ? (
          <Link to={to} tabIndex={-1} className="parley-table-link">
            {content}
          </Link>
        ) : (
          content
        )}
      </div>
    );
  });
}) as <Row>(props: CellsOf<Row>) => ReactNode;

/** A link, button or field within a row does its own thing; selecting text is none either. */
function isOfItsOwn(target: HTMLElement): boolean {
  return target.closest("a, button, input, select, textarea, label") !== null || String(getSelection()) !== "";
}

function Waiting() {
  return (
    <div role="rowgroup" aria-hidden>
      {SKELETON_ROWS.map((share) => (
        <div key={share} className="parley-table-waiting">
          <Skeleton h={10} w={`${share}%`} />
        </div>
      ))}
    </div>
  );
}
