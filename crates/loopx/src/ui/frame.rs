//! A screen that is drawn anew as a whole: which lines stand on it, and how many rows each takes.

use unicode_width::UnicodeWidthChar as _;

use super::TONES;

/// How much a line matters where there is no room for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// What the screen is, and what is wrong with it.
    Head,
    /// Waits on a person.
    Urgent,
    /// Any other.
    #[default]
    Usual,
    /// More of what stands above it.
    Detail,
}

/// A line of a screen, safe to write.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) weight: Weight,
    pub(super) text: String,
}

/// The narrowest screen that is drawn for; a narrower terminal cuts it.
const NARROWEST: usize = 8;
/// What stands before the further rows of a line, where there is room, and where there is little.
const INDENT: &str = "             ";
const SMALL_INDENT: &str = "  ";
/// From this width on there is room.
const ROOMY: usize = 60;
/// Ends every tone.
const END: &str = TONES[TONES.len() - 1];

/// The rows of a screen. The last row of the terminal stays free for the cursor.
///
/// Every line gets one row, those that matter more first; what is left is used for more rows of lines that are longer:
/// of those that wait on a person before there are details of others, of the others after that.
pub(super) fn fit(lines: &[Line], rows: usize, columns: usize) -> Vec<String> {
    let (room, columns) = (rows.saturating_sub(1).max(1), columns.max(NARROWEST));
    let needs: Vec<usize> = lines.iter().map(|line| wrap(&line.text, columns, usize::MAX).len()).collect();
    let of = |weight: Weight| move |(_, line): &(usize, &Line)| line.weight == weight;
    let more: usize = lines
        .iter()
        .zip(&needs)
        .filter(|(line, _)| line.weight == Weight::Urgent)
        .map(|(_, need)| need - 1)
        .sum();
    let details = lines.iter().enumerate().filter(of(Weight::Detail)).count();
    let is_full = lines.len() > room || (details > 0 && lines.len() + more > room);
    // A row says what does not stand on it.
    let mut left = if is_full { room.saturating_sub(1) } else { room };
    let mut heights = vec![0; lines.len()];
    let mut give = |weight: Weight, most: usize| {
        for (at, _) in lines.iter().enumerate().filter(of(weight)) {
            let (Some(height), Some(need)) = (heights.get_mut(at), needs.get(at)) else { continue };
            if left > 0 && *height + 1 == most && most <= *need {
                *height += 1;
                left -= 1;
            }
        }
    };
    for weight in [Weight::Head, Weight::Urgent, Weight::Usual] {
        give(weight, 1);
    }
    // In turn, so that each of several gets some.
    let longest = needs.iter().copied().max().unwrap_or(0);
    (2..=longest).for_each(|most| give(Weight::Urgent, most));
    give(Weight::Detail, 1);
    for weight in [Weight::Head, Weight::Usual, Weight::Detail] {
        (2..=longest).for_each(|most| give(weight, most));
    }
    let mut screen = Vec::new();
    for (line, height) in lines.iter().zip(&heights).filter(|(_, height)| **height > 0) {
        screen.extend(wrap(&line.text, columns, *height));
    }
    let hidden = lines.iter().zip(&heights).filter(|(line, height)| **height == 0 && !line.text.is_empty());
    let (all, urgent) = hidden.fold((0, 0), |(all, urgent), (line, _)| {
        (all + 1, urgent + usize::from(line.weight == Weight::Urgent))
    });
    if all > 0 {
        // What is cut off on a narrow screen is the least of it.
        let urgent = if urgent > 0 { format!("{urgent} urgent of ") } else { String::new() };
        let lines = if all == 1 { "line" } else { "lines" };
        screen.extend(wrap(&format!("… {urgent}{all} more {lines}"), columns, 1));
    }
    screen
}

/// A piece of a line: a tone, or a character, and how many columns it takes.
struct Piece<'a> {
    text: &'a str,
    width: usize,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let tone = TONES.into_iter().find(|tone| rest.starts_with(tone));
        let (len, width) = match tone {
            Some(tone) => (tone.len(), 0),
            None => (first.len_utf8(), first.width().unwrap_or(0)),
        };
        let (text, after) = rest.split_at(len);
        pieces.push(Piece { text, width });
        rest = after;
    }
    pieces
}

/// A line in at most so many rows, none wider than `columns`; it breaks at spaces where it can. What has no room ends in
/// an ellipsis.
fn wrap(text: &str, columns: usize, most: usize) -> Vec<String> {
    let pieces = pieces(text);
    let (mut rows, mut start, mut tone) = (Vec::new(), 0, "");
    loop {
        let indent = match rows.len() {
            0 => "",
            _ if columns >= ROOMY => INDENT,
            _ => SMALL_INDENT,
        };
        let rest = pieces.get(start..).unwrap_or_default();
        let room = columns - indent.len();
        let fits = fitting(rest, room);
        let is_last = rows.len() + 1 >= most;
        // One at least is taken of a line that holds any.
        let (taken, skipped, cut) = if fits >= rest.len() {
            (rest.len(), 0, "")
        } else if is_last {
            (fitting(rest, room - 1), 0, "…")
        } else {
            let taken = breaking(rest, fits);
            (taken, spaces(rest.get(taken..).unwrap_or_default()), "")
        };
        let mut row = format!("{indent}{tone}");
        let mut ends = tone;
        for (at, piece) in rest.iter().take(taken + skipped).enumerate() {
            if at < taken {
                row += piece.text;
            }
            if TONES.contains(&piece.text) {
                tone = if piece.text == END { "" } else { piece.text };
            }
            if at < taken {
                ends = tone;
            }
        }
        row += cut;
        if !ends.is_empty() {
            row += END;
        }
        rows.push(row);
        start += taken + skipped;
        if is_last || start >= pieces.len() {
            return rows;
        }
    }
}

/// How many pieces at the beginning are spaces, and tones before a space.
fn spaces(pieces: &[Piece<'_>]) -> usize {
    let blank = pieces.iter().take_while(|piece| piece.text == " " || TONES.contains(&piece.text)).count();
    let space = pieces.iter().take(blank).rposition(|piece| piece.text == " ");
    space.map_or(0, |at| at + 1)
}

/// How many pieces go into so many columns; one at least.
fn fitting(pieces: &[Piece<'_>], room: usize) -> usize {
    let mut width = 0;
    let fits = pieces.iter().take_while(|piece| {
        width += piece.width;
        width <= room
    });
    fits.count().max(1)
}

/// Where a row of at most `fits` pieces ends: before its last space that follows a word, else after all of them.
fn breaking(pieces: &[Piece<'_>], fits: usize) -> usize {
    let is_space = |piece: &Piece<'_>| piece.text == " ";
    let word = pieces.iter().position(|piece| !is_space(piece) && piece.width > 0).unwrap_or(0);
    // The space may be the first piece that has no room.
    let space = (word..=fits).rev().find(|at| pieces.get(*at).is_some_and(is_space));
    space.filter(|at| *at > word).unwrap_or(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(weight: Weight, text: &str) -> Line {
        Line { weight, text: text.to_owned() }
    }

    /// The columns that a row takes.
    fn width(row: &str) -> usize {
        pieces(row).iter().map(|piece| piece.width).sum()
    }

    fn goals(count: usize) -> Vec<Line> {
        let mut lines = vec![line(Weight::Head, "2026-11-30 12:00:00 +01:00  q ends it")];
        for number in 0..count {
            lines.push(line(
                Weight::Usual,
                &format!("– nobody     goal-{number} / alice     {}", "add a todo ".repeat(9)),
            ));
            lines.push(line(Weight::Detail, "             gate clear, quota eligible"));
        }
        lines
    }

    fn asks() -> Line {
        let question = "may the new index be published although two of its tables are not measured yet? ";
        line(
            Weight::Urgent,
            &format!(
                "\u{1b}[1;31m● you\u{1b}[0m        pilot / bob                  decide: {}",
                question.repeat(3)
            ),
        )
    }

    #[test]
    fn an_open_question_was_cut_although_rows_were_to_spare() {
        for (rows, columns) in [(24, 80), (12, 40), (10, 40), (60, 200), (24, 8)] {
            let lines = [line(Weight::Head, "now"), asks()];
            let screen = fit(&lines, rows, columns);
            assert!(screen.len() < rows, "{screen:#?}");
            assert!(screen.iter().all(|row| width(row) <= columns), "{screen:#?}");
            if columns > 8 {
                let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                assert_eq!(words(&screen[1..].join(" ")), words(&lines[1].text), "{rows} x {columns}");
            }
        }
    }

    #[test]
    fn what_waits_on_a_person_was_lost_below_what_does_not() {
        for rows in [4, 6, 10, 24] {
            let mut lines = goals(30);
            lines.push(asks());
            lines.push(line(Weight::Urgent, "  ● you        waiting_answer"));
            let screen = fit(&lines, rows, 40);
            assert!(screen.len() < rows, "{rows}: {screen:#?}");
            if rows > 4 {
                assert!(screen.iter().any(|row| row.contains("waiting_answer")), "{screen:#?}");
                assert!(screen.iter().any(|row| row.contains("● you")), "{screen:#?}");
                assert!(screen.last().expect("a row").contains("more lines"), "{screen:#?}");
            } else {
                assert!(screen.last().expect("a row").contains(" urgent of "), "{screen:#?}");
            }
        }
    }

    #[test]
    fn a_question_has_its_rows_before_there_are_details_of_others() {
        let mut lines = goals(5);
        lines.push(asks());
        let screen = fit(&lines, 15, 80);
        assert_eq!(screen.len(), 14);
        let question: Vec<_> = screen.iter().skip_while(|row| !row.contains("● you")).collect();
        assert!(question.iter().any(|row| row.trim_end().ends_with("measured yet?")), "{screen:#?}");
        assert!(screen.last().expect("a row").contains("more line"), "{screen:#?}");
    }

    #[test]
    fn the_first_of_two_questions_took_all_rows() {
        let mut lines = goals(3);
        lines.extend([asks(), asks()]);
        let screen = fit(&lines, 12, 40);
        assert_eq!(screen.iter().filter(|row| row.contains("decide: may")).count(), 2, "{screen:#?}");
    }

    #[test]
    fn an_empty_line_was_drawn_as_a_cut_one() {
        let lines = [line(Weight::Head, "now"), line(Weight::Usual, ""), line(Weight::Usual, "sessions")];
        for (rows, columns) in [(24, 80), (12, 40), (30, 160), (4, 8)] {
            assert_eq!(fit(&lines, rows, columns), ["now", "", "sessions"], "{rows} x {columns}");
        }
    }

    #[test]
    fn the_word_for_what_waits_was_cut_off_the_last_row() {
        let mut lines = goals(4);
        lines.extend([asks(), asks(), asks(), asks()]);
        assert_eq!(fit(&lines, 3, 20).last().map(String::as_str), Some("… 4 urgent of 12 mo…"));
        assert_eq!(fit(&lines, 3, 80).last().map(String::as_str), Some("… 4 urgent of 12 more lines"));
    }

    #[test]
    fn a_line_with_room_for_all_loses_nothing() {
        let lines = goals(3);
        let screen = fit(&lines, 24, 200);
        assert_eq!(screen, lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>());
    }

    #[test]
    fn wide_characters_ran_over_the_edge() {
        let text = format!("● you {}e\u{301}nd", "判断してください".repeat(6));
        for columns in 8..30 {
            for most in [1, 2, usize::MAX] {
                let rows = wrap(&text, columns, most);
                assert!(
                    rows.len() <= most && rows.iter().all(|row| width(row) <= columns),
                    "{columns}: {rows:?}"
                );
                let kept: String = rows.iter().flat_map(|row| row.chars()).filter(|c| *c != ' ').collect();
                let whole: String = text.chars().filter(|c| *c != ' ').collect();
                assert!(kept == whole || most < usize::MAX && kept.ends_with('…'), "{columns}: {rows:?}");
            }
        }
    }

    #[test]
    fn a_tone_goes_on_in_the_next_row_and_ends_with_each() {
        let rows = wrap(&format!("a \u{1b}[2m{}\u{1b}[0m b", "word ".repeat(6)), 12, 3);
        assert_eq!(rows.len(), 3);
        for row in &rows[1..2] {
            assert!(row.starts_with("  \u{1b}[2mword") && row.ends_with(END), "{rows:?}");
        }
        assert!(rows[0].ends_with(END) && rows[2].contains('…') && rows[2].ends_with(END), "{rows:?}");
    }
}
