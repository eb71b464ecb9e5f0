//! What is to stand on the screen, as lines in rows: a row whose lines are what they were is not drawn again.

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::text::Line;
use ratatui::widgets::Widget as _;

/// A line, and its place.
pub type Piece = (Rect, Line<'static>);

/// One picture of the whole screen.
pub struct Sheet {
    /// All of it.
    pub area: Rect,
    rows: Vec<Vec<Piece>>,
    painted: Option<Buffer>,
}

impl Sheet {
    /// An empty one.
    pub fn new(size: Size) -> Self {
        let area = Rect::new(0, 0, size.width, size.height);
        Self { area, rows: vec![Vec::new(); usize::from(size.height)], painted: None }
    }

    /// Puts a line at the top of a place; what it has no room for is cut off.
    pub fn line(&mut self, place: Rect, line: Line<'static>) {
        let place = Rect { height: 1, ..place }.intersection(self.area);
        if let Some(row) = self.rows.get_mut(usize::from(place.y)).filter(|_| !place.is_empty()) {
            row.push((place, line));
        }
    }

    /// Puts lines one below another, as many as the place has rows.
    pub fn lines(&mut self, place: Rect, lines: impl IntoIterator<Item = Line<'static>>) {
        for (row, line) in place.rows().zip(lines) {
            self.line(row, line);
        }
    }

    /// All of it in cells, to draw over the lines.
    pub fn painted(&mut self) -> &mut Buffer {
        let (area, rows) = (self.area, &self.rows);
        self.painted.get_or_insert_with(|| {
            let mut buffer = Buffer::empty(area);
            for row in rows {
                put(row, &mut buffer);
            }
            buffer
        })
    }
}

fn put(row: &[Piece], buffer: &mut Buffer) {
    for (place, line) in row {
        line.render(*place, buffer);
    }
}

/// What stands in one row: its cells, those that stood there before, and the lines that they were made from.
struct Row {
    lines: Option<Vec<Piece>>,
    cells: Buffer,
    before: Buffer,
}

/// What stands on the screen.
#[derive(Default)]
pub struct Standing {
    size: Size,
    rows: Vec<Row>,
}

/// What stood in a row, and what is to stand there.
pub type Change<'a> = (&'a Buffer, &'a Buffer);

impl Standing {
    /// How large it is.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Nothing stands there.
    pub fn clear(&mut self, size: Size) {
        let row =
            |row| Row { lines: Some(Vec::new()), cells: Buffer::empty(row), before: Buffer::empty(row) };
        let rows = Rect::new(0, 0, size.width, size.height).rows().map(row).collect();
        *self = Self { size, rows };
    }

    /// Takes what is to stand there. Gives the rows that differ.
    pub fn take(&mut self, sheet: Sheet) -> Vec<Change<'_>> {
        let width = usize::from(sheet.area.width.max(1));
        let mut changes = Vec::new();
        let mut painted = sheet.painted.iter().flat_map(|buffer| buffer.content.chunks(width));
        for (row, lines) in self.rows.iter_mut().zip(sheet.rows) {
            let over = painted.next();
            if over.is_none() && row.lines.as_ref() == Some(&lines) {
                continue;
            }
            std::mem::swap(&mut row.before, &mut row.cells);
            if let Some(over) = over {
                row.cells.content.clone_from_slice(over);
            } else {
                row.cells.reset();
                put(&lines, &mut row.cells);
            }
            row.lines = over.is_none().then_some(lines);
            if row.cells != row.before {
                changes.push((&row.before, &row.cells));
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 12, height: 3 };

    /// What stands in each row.
    fn said(standing: &Standing) -> Vec<String> {
        let text =
            |row: &Row| row.cells.content.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
        standing.rows.iter().map(text).collect()
    }

    fn sheet(lines: [&str; 3]) -> Sheet {
        let mut sheet = Sheet::new(SIZE);
        let area = sheet.area;
        sheet.lines(area, lines.map(|line| Line::raw(line.to_owned())));
        sheet
    }

    fn changed(changes: &[Change]) -> Vec<u16> {
        changes.iter().map(|(_, cells)| cells.area.y).collect()
    }

    #[test]
    fn only_rows_that_differ_are_drawn() {
        let mut standing = Standing::default();
        standing.clear(SIZE);
        assert_eq!(changed(&standing.take(sheet(["one", "two", ""]))), [0, 1]);
        assert!(standing.take(sheet(["one", "two", ""])).is_empty());
        assert_eq!(changed(&standing.take(sheet(["one", "2", ""]))), [1]);
        assert_eq!(said(&standing), ["one         ", "2           ", "            "]);
    }

    #[test]
    fn what_lay_over_the_lines_is_gone_when_they_are_drawn_again() {
        let mut standing = Standing::default();
        standing.clear(SIZE);
        standing.take(sheet(["one", "two", "three"]));
        let mut over = sheet(["one", "two", "three"]);
        over.painted().set_string(0, 1, "box", ratatui::style::Style::new());
        assert_eq!(changed(&standing.take(over)), [1]);
        assert_eq!(changed(&standing.take(sheet(["one", "two", "three"]))), [1]);
        assert_eq!(said(&standing)[1], "two         ");
    }

    #[test]
    fn a_screen_that_was_cleared_is_drawn_whole() {
        let mut standing = Standing::default();
        standing.clear(SIZE);
        standing.take(sheet(["one", "two", "three"]));
        standing.clear(SIZE);
        assert_eq!(changed(&standing.take(sheet(["one", "two", "three"]))), [0, 1, 2]);
    }

    #[test]
    fn what_has_no_room_is_cut_off() {
        let mut sheet = Sheet::new(SIZE);
        sheet.line(Rect::new(8, 1, 40, 1), Line::raw("123456789"));
        sheet.line(Rect::new(0, 7, 40, 1), Line::raw("below"));
        sheet.line(Rect::new(90, 0, 40, 1), Line::raw("beside"));
        let mut standing = Standing::default();
        standing.clear(SIZE);
        standing.take(sheet);
        assert_eq!(said(&standing), ["            ", "        1234", "            "]);
        standing.clear(Size::default());
        assert!(standing.take(Sheet::new(Size::default())).is_empty());
    }
}
