//! [`Number`]: an `f64` that JSON can hold even where it is not finite.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number that may be NaN or infinite; in JSON these are the strings `"NaN"`, `"inf"` and `"-inf"`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            x if x.is_nan() => serializer.serialize_str("NaN"),
            x if x == f64::INFINITY => serializer.serialize_str("inf"),
            x if x == f64::NEG_INFINITY => serializer.serialize_str("-inf"),
            x => serializer.serialize_f64(x),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl de::Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number, \"NaN\", \"inf\" or \"-inf\"")
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Number, E> {
        Ok(Number(x))
    }

    fn visit_i64<E: de::Error>(self, x: i64) -> Result<Number, E> {
        Ok(Number(x as f64))
    }

    fn visit_u64<E: de::Error>(self, x: u64) -> Result<Number, E> {
        Ok(Number(x as f64))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
        match text {
            "NaN" => Ok(Number(f64::NAN)),
            "inf" => Ok(Number(f64::INFINITY)),
            "-inf" => Ok(Number(f64::NEG_INFINITY)),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
}
